/** Tracking numbers: how to read them, which forms carriers use, and how the service makes its own. */
import { randomInt } from 'node:crypto';
import { carrierOf, OWN_CARRIER, UNPUBLISHED } from './carriers.ts';

/** The number as it is stored: without blanks, in upper case. */
export const normaliseTracking = (given: string): string => given.replaceAll(/\s/g, '').toUpperCase();

/** The check digit by Luhn's rule (ISO/IEC 7812-1). It detects a wrong digit and almost every swapped pair. */
function checkDigit(digits: string): number {
  let sum = 0;
  for (const [index, digit] of [...digits].reverse().entries()) {
    const doubled = Number(digit) * (index % 2 === 0 ? 2 : 1);
    sum += doubled > 9 ? doubled - 9 : doubled;
  }
  return (10 - (sum % 10)) % 10;
}

const OWN_PREFIX = 'SPX';
const HALF = 10_000_000;

/**
 * A number for the seller's own delivery that cannot be guessed: `SPX`, fifteen random digits and their check digit.
 */
export function newTrackingNumber(): string {
  const digits = `${randomInt(1, 10)}${String(randomInt(HALF)).padStart(7, '0')}${String(randomInt(HALF)).padStart(7, '0')}`;
  return `${OWN_PREFIX}${digits}${checkDigit(digits)}`;
}

type TrackingProblem = 'carrier_unknown' | 'pattern_mismatch' | 'check_digit';
type TrackingCheck =
  | { readonly ok: true; readonly tracking_number: string }
  | { readonly ok: false; readonly problem: TrackingProblem; readonly detail: string };

const refused = (problem: TrackingProblem, detail: string): TrackingCheck => ({ ok: false, problem, detail });

/**
 * Checks whether a carrier uses numbers of this form.
 *
 * @param carrier a code of the catalogue
 * @param given the number as typed, in any case and with blanks; the result has the number to store
 */
export function checkTracking(carrier: string, given: string): TrackingCheck {
  const known = carrierOf(carrier);
  if (known === undefined)
    return refused('carrier_unknown', `There is no carrier ${JSON.stringify(carrier)}.`);
  const number = normaliseTracking(given);
  if (!new RegExp(known.tracking_pattern).test(number))
    return refused(
      'pattern_mismatch',
      `This is not a tracking number of ${known.name}; one looks like ${known.tracking_example}.`,
    );
  if (carrier === OWN_CARRIER && checkDigit(number.slice(OWN_PREFIX.length, -1)) !== Number(number.at(-1)))
    return refused(
      'check_digit',
      'The check digit of this tracking number is wrong; look for a mistyped digit.',
    );
  return { ok: true, tracking_number: number };
}

/** Whether a number has the form that its carrier has published. */
export const hasPublishedForm = (carrier: string, number: string): boolean =>
  carrierOf(carrier)?.tracking_pattern !== UNPUBLISHED && checkTracking(carrier, number).ok;

/** The carrier's tracking page of a parcel; null if the carrier has none. */
export function trackingUrl(carrier: string, number: string): string | null {
  return (
    carrierOf(carrier)?.tracking_url?.replace('{tracking_number}', () => encodeURIComponent(number)) ?? null
  );
}
