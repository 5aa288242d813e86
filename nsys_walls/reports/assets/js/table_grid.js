// What Tabulator is told of the table: its order and its widths.

const NARROWEST_NAME = 200; // pixels

/** Not measured is last, whatever the direction; equals stand as in the document. */
function compare(column, one, other, direction) {
  const sign = direction === "asc" ? 1 : -1; // Tabulator turns the result round for the other
  const [left, right] = [column.sort(one), column.sort(other)];
  if (left === null || right === null) {
    const missing = (left === null) - (right === null) || one.id - other.id;
    return sign * missing;
  }
  const difference = column.isText ? left.localeCompare(right, "en") : left - right;
  return difference || sign * (one.id - other.id);
}

/**
 * A layout of Tabulator: columns as wide as what they hold, or as the reader has drawn them; the
 * name takes the room that is left.
 */
function fitName(grid, fitted, widths) {
  const [name, ...others] = fitted.filter((column) => column.visible);
  for (const column of others) {
    column.reinitializeWidth();
    if (widths.has(column.getField())) column.setWidth(widths.get(column.getField()));
  }
  const used = others.reduce((sum, column) => sum + column.getWidth(), 0);
  const room = grid.rowManager.element.clientWidth - used;
  name.setWidth(widths.get(name.getField()) ?? Math.max(NARROWEST_NAME, room));
}
