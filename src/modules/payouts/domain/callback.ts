/** The provider's signed callbacks: their signature, and what is fetched for them. */
import { createHmac, timingSafeEqual } from 'node:crypto';

const HEADER_BYTES_MAX = 4_096;
/** Both directions: a callback from the future is as wrong as an old one. */
const TOLERANCE_S = 300;
const INSTANT = /^t=(\d{1,12})$/;
const SIGNATURE = /^v1=([0-9a-f]{64})$/;

/**
 * Whether a signature header belongs to the raw bytes.
 *
 * @param now milliseconds of the service's clock
 */
export function isSigned(header: string, bytes: Buffer, secrets: readonly string[], now: number): boolean {
  if (Buffer.byteLength(header) > HEADER_BYTES_MAX) return false;
  const parts = header.split(',');
  const instants = parts.filter((part) => part.startsWith('t='));
  const seconds = INSTANT.exec(instants[0] ?? '')?.[1];
  if (instants.length !== 1 || seconds === undefined) return false;
  if (Math.abs(Math.floor(now / 1000) - Number(seconds)) > TOLERANCE_S) return false;
  const given = parts.flatMap((part) => {
    const hex = SIGNATURE.exec(part)?.[1];
    return hex === undefined ? [] : [Buffer.from(hex, 'hex')];
  });
  const expected = secrets.map((secret) =>
    createHmac('sha256', secret).update(`${seconds}.`).update(bytes).digest(),
  );
  return given.some((one) => expected.some((right) => timingSafeEqual(one, right)));
}

/** What a callback of a type is about. Its payload is not applied: the object is fetched. */
type CallbackTarget = 'account' | 'payout' | 'transfer' | 'recorded' | 'unsupported';

const TARGETS: readonly (readonly [RegExp, CallbackTarget])[] = [
  [/^(?:account\.|capability\.)/, 'account'],
  [/^payout\./, 'payout'],
  [/^transfer\.reversed$/, 'transfer'],
  // They reach the books through the marketplace's events and the list of transactions only.
  [/^(?:charge\.dispute\.|charge\.refunded$|refund\.|balance\.available$)/, 'recorded'],
];
export const targetOf = (type: string): CallbackTarget =>
  TARGETS.find(([pattern]) => pattern.test(type))?.[1] ?? 'unsupported';
