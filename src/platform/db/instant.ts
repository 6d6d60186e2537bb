import { type Part, part, raw } from './statement.ts';

/** SQL for an instant inside JSON: RFC 3339 with milliseconds, in the same form as a column of a row. */
export const isoInstant = (column: string | Part): Part => {
  const value = typeof column === 'string' ? raw(column) : column;
  return part`to_char(${value} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
};
