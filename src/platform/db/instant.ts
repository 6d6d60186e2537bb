import { type Part, part, raw } from './statement.ts';

/** An instant inside JSON that the database makes: RFC 3339 with milliseconds, as a column is read. */
export const isoInstant = (column: string | Part): Part => {
  const value = typeof column === 'string' ? raw(column) : column;
  return part`to_char(${value} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
};
