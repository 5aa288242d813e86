"""Hardware counters of Nsight Compute: their names, and the work that they add up to."""
