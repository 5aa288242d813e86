"""What readers of traces share: nested ranges, codes of equal rows, Arrow arrays, privacy."""
