/** All rows of a list, page by page. A file reads them like this inside its snapshot. */

const ROWS_AT_ONCE = 500;

/**
 * @param read reads one row more than the limit, after a position
 * @param position of the last row of a page
 */
export async function* pagesOf<Row, Position>(
  read: (after: Position | undefined, limit: number) => Promise<readonly Row[]>,
  position: (row: Row) => Position,
): AsyncGenerator<readonly Row[]> {
  let after: Position | undefined;
  for (;;) {
    const rows = await read(after, ROWS_AT_ONCE);
    const page = rows.slice(0, ROWS_AT_ONCE);
    yield page;
    const last = page.at(-1);
    if (rows.length <= ROWS_AT_ONCE || last === undefined) return;
    after = position(last);
  }
}
