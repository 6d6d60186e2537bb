/** Instants inside JSON that the database makes: RFC 3339 with milliseconds, as a column of its own comes back. */
export const INSTANT = (column: string) =>
  `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
