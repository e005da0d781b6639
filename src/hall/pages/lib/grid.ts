/** Lays out equal cells in a rectangle. */

export interface Grid {
  columns: number;
  rows: number;
  /** The width of a cell, in the units of the rectangle. */
  width: number;
}

/**
 * The grid in which `count` cells are as large as possible.
 *
 * `height(width)` is the height of a cell of that width, and `gap` the space between two cells.
 */
export function bestGrid(
  count: number,
  room: { width: number; height: number },
  height: (width: number) => number,
  gap: number,
  onlyColumns?: number,
): Grid {
  let best: Grid = { columns: 1, rows: count, width: 0 };
  for (let columns = onlyColumns ?? 1; columns <= (onlyColumns ?? count); columns++) {
    const rows = Math.ceil(count / columns);
    const free = {
      width: (room.width - gap * (columns - 1)) / columns,
      height: (room.height - gap * (rows - 1)) / rows,
    };
    // The height grows with the width: use the full width, or as much as the height allows.
    let low = 0;
    let high = Math.max(0, free.width);
    if (height(high) > free.height) {
      for (let step = 0; step < 20; step++) {
        const middle = (low + high) / 2;
        if (height(middle) > free.height) high = middle;
        else low = middle;
      }
    } else {
      low = high;
    }
    if (low > best.width) best = { columns, rows, width: low };
  }
  // Balance the rows, so that six cells are laid out as three and three.
  return { ...best, columns: onlyColumns ?? Math.ceil(count / best.rows) };
}
