/** Writes an instant inside JSON that the database builds: RFC 3339 with milliseconds, as a column would arrive. */
export const INSTANT = (column: string) =>
  `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
