const RFC_3339 = /^(\d{4}-\d\d-\d\d)[Tt]\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:[Zz]|[+-]\d\d:\d\d)$/;

/**
 * An RFC 3339 instant of any offset as milliseconds since the epoch; undefined when it is none. Days that the
 * month does not have are refused, where `Date.parse` would take the first of the next month.
 */
export function parseInstant(text: string): number | undefined {
  const day = RFC_3339.exec(text)?.[1];
  const instant = Date.parse(text);
  if (day === undefined || Number.isNaN(instant)) return undefined;
  return new Date(`${day}T00:00:00Z`).toISOString().startsWith(day) ? instant : undefined;
}
