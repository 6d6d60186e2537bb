/** Reads PostgreSQL values without rounding them and without local times. */
import pg from 'pg';

const INT8 = 20;
const DATE = 1082;
const TIMESTAMPTZ = 1184;
const JSON_TYPE = 114;
const JSONB = 3802;
const TEXT = 25;

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

/** Most lists and maps of a product are empty, so `[]` and `{}` skip the parser. */
function json(text: string): unknown {
  if (text === '[]') return [];
  return text === '{}' ? {} : JSON.parse(text);
}

const PARSERS: Readonly<Record<number, (text: string) => unknown>> = {
  [INT8]: (text) => BigInt(text),
  [DATE]: (text) => text,
  [TIMESTAMPTZ]: instant,
  [JSON_TYPE]: json,
  [JSONB]: json,
};

/**
 * The parser of a type: int8 becomes a bigint, an instant an RFC 3339 string. It is undefined if the text itself is the
 * value, for example of a date.
 */
export function typeParser(oid: number): ((text: string) => unknown) | undefined {
  return oid === TEXT ? undefined : (PARSERS[oid] ?? pg.types.getTypeParser(oid, 'text'));
}
