/**
 * Years that clocks mean. RFC 3339 knows the year 0 and the last day of 9999; the database does not know the one,
 * and the windows that begin on the other end in a year of five digits.
 */
const RFC_3339 = /^([12]\d{3}-\d\d-\d\d)[Tt]\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:[Zz]|[+-]\d\d:\d\d)$/;

/**
 * An RFC 3339 instant of any offset as milliseconds since the epoch; undefined when it is none. Days that the
 * month does not have are refused, where `Date.parse` would take the first of the next month.
 */
export function parseInstant(text: string): number | undefined {
  const day = RFC_3339.exec(text)?.[1];
  const instant = Date.parse(text);
  if (day === undefined || Number.isNaN(instant)) return undefined;
  // An offset may carry it out of those years: what is written of it in UTC has to be read again.
  if (!RFC_3339.test(new Date(instant).toISOString())) return undefined;
  return new Date(`${day}T00:00:00Z`).toISOString().startsWith(day) ? instant : undefined;
}

/** Whether a text is a day, `YYYY-MM-DD`, in the years of {@link parseInstant}. */
export const isDay = (text: string): boolean => parseInstant(`${text}T00:00:00Z`) !== undefined;
