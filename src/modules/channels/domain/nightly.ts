import { nextTimeOfDay } from '../../../kernel/australia/sydney.ts';
import { sha256Hex } from '../../../kernel/digest.ts';

/** In Sydney. The channels begin within two hours, so that they do not all ask at once. */
const NIGHTLY = { hour: 3, minute: 30 };
const SPREAD_MS = 7_200_000;
const DIGITS = 8;

/** The next instant at which a channel compares everything with its store. */
export function nightlyAfter(channelId: string, at: number): number {
  const share = Number.parseInt(sha256Hex(channelId).slice(0, DIGITS), 16) / 16 ** DIGITS;
  const delay = Math.floor(share * SPREAD_MS);
  return nextTimeOfDay(at - delay, NIGHTLY) + delay;
}
