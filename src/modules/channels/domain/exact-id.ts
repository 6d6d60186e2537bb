export type Fields = Readonly<Record<string, unknown>>;

/** The digits of an id of the platform. Beyond 2^53 the reader of JSON has kept them as text. */
export function exactId(value: unknown): string | undefined {
  if (typeof value === 'number') return Number.isSafeInteger(value) && value > 0 ? String(value) : undefined;
  return typeof value === 'string' && /^[1-9]\d{0,29}$/.test(value) ? value : undefined;
}
