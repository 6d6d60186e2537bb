/** How PostgreSQL values arrive in the service: nothing is rounded, nothing is a local date. */
import pg from 'pg';

const INT8 = 20;
const DATE = 1082;
const TIMESTAMPTZ = 1184;

/** `2026-11-21 03:33:32.123456+00` (sessions run in UTC) as RFC 3339 with milliseconds and `Z`. */
function instant(text: string): string {
  const dot = text.indexOf('.', 19);
  const millis =
    dot === -1
      ? '000'
      : text
          .slice(dot + 1, text.indexOf('+', dot))
          .slice(0, 3)
          .padEnd(3, '0');
  return `${text.slice(0, 10)}T${text.slice(11, 19)}.${millis}Z`;
}

const PARSERS: Readonly<Record<number, (text: string) => unknown>> = {
  [INT8]: (text) => BigInt(text),
  [DATE]: (text) => text,
  [TIMESTAMPTZ]: instant,
};

/** Type parsers for the pools: int8 is a bigint, instants are RFC 3339 strings, dates stay as they are. */
export const typeParsers = {
  getTypeParser(oid: number, format?: 'text' | 'binary'): (value: string) => unknown {
    return PARSERS[oid] ?? pg.types.getTypeParser(oid, format as 'text');
  },
};
