/** Numbers that a double may not represent exactly. Almost no row has one, and a reviver takes five times as long. */
const SUSPICIOUS_NUMBER = /\d[\d.]{15}|\d[eE]\+?\d{3}/;

const INTEGER = /^-?\d+$/;
const DECIMAL = /^(-?\d+)\.(\d*?)0*$/;

/**
 * Parses JSON as `JSON.parse` does, but a number that a double cannot represent exactly becomes its text in the file:
 * integers beyond 2^53 (external ids), decimals with too many digits, and numbers that would become infinite. Of
 * duplicate keys the last one counts. `__proto__` becomes an own property.
 *
 * @throws SyntaxError
 */
export function parseJsonExact(text: string): unknown {
  if (!SUSPICIOUS_NUMBER.test(text)) return JSON.parse(text) as unknown;
  return JSON.parse(text, keepExact) as unknown;
}

function keepExact(_key: string, value: unknown, context?: { source?: string }): unknown {
  const source = context?.source;
  if (typeof value !== 'number' || source === undefined) return value;
  if (!Number.isFinite(value)) return source;
  if (INTEGER.test(source)) return Number.isSafeInteger(value) ? value : source;
  const decimal = DECIMAL.exec(source);
  if (decimal === null) return value;
  const [, whole = '', fraction = ''] = decimal;
  const shortest = fraction === '' ? whole : `${whole}.${fraction}`;
  return String(value) === shortest ? value : source;
}
