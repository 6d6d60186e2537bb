/** Values as a store writes them. */
import { parseInstant } from '../../../kernel/instant.ts';

export type Fields = Readonly<Record<string, unknown>>;

/** The digits of an id of the platform. Beyond 2^53 the reader of JSON has kept them as text. */
export function exactId(value: unknown): string | undefined {
  if (typeof value === 'number') return Number.isSafeInteger(value) && value > 0 ? String(value) : undefined;
  return typeof value === 'string' && /^[1-9]\d{0,29}$/.test(value) ? value : undefined;
}

/** The instant of a text in UTC, whatever its zone; null if it is none. */
export function instantOf(value: unknown): string | null {
  const at = typeof value === 'string' ? parseInstant(value) : undefined;
  return at === undefined ? null : new Date(at).toISOString();
}

/** The clocks of a store and of the service may differ by this. */
const AHEAD_MS = 600_000;
/** An instant at which a store has changed something. If one of the future counted, all that comes until then was older. */
export const notAhead = (said: string, now: number): string =>
  Date.parse(said) > now + AHEAD_MS ? new Date(now).toISOString() : said;

/** The platform allows no longer title or SKU. */
const SHOWN_CHARS_MAX = 255;
/** The beginning of a text that is shown and nothing else. */
export const shownText = (text: string): string => text.slice(0, SHOWN_CHARS_MAX).toWellFormed();
