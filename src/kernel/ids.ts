/**
 * Identifiers: a prefix that names the kind, then 26 characters of Crockford base 32.
 * 48 bits of time keep them in order of creation, a 12-bit counter keeps the order within a millisecond,
 * 68 random bits make them impossible to guess. Source: docs/design/wire.md#identifiers.
 */
import { randomBytes, randomFillSync } from 'node:crypto';

/** A kind of object is its prefix: three letters and `_`. Modules list theirs (`ModuleDef.ids`), each once. */
export type IdKind = `${string}_`;

const ALPHABET = Buffer.from('0123456789abcdefghjkmnpqrstvwxyz', 'latin1');
const RANDOM_BYTES = 9;
const POOL_BYTES = RANDOM_BYTES * 512;
const pool = Buffer.allocUnsafe(POOL_BYTES);
let poolOffset = POOL_BYTES;

/** Offset of the next nine random bytes in the pool. */
function takeRandom(): number {
  if (poolOffset >= POOL_BYTES) {
    randomFillSync(pool);
    poolOffset = 0;
  }
  const at = poolOffset;
  poolOffset += RANDOM_BYTES;
  return at;
}

const PREFIX_CHARS = 4;
const TIME_CHARS = 10;
const COUNTER_CHARS = 3;
const RANDOM_CHARS = 13;
const SECRET_CHARS = TIME_CHARS + COUNTER_CHARS + RANDOM_CHARS;
const COUNTER_AT = PREFIX_CHARS + TIME_CHARS;
const RANDOM_AT = COUNTER_AT + COUNTER_CHARS;

const letter = (value: number): number => ALPHABET[value & 31] ?? 0;

export interface Ids {
  next(kind: IdKind): string;
  /** An id of 130 random bits, for an object that everybody with the id may read. */
  secret(kind: IdKind): string;
}

/** Makes ids with the given clock. The ids of a process keep their order even if its clock moves back. */
export function createIds(now: () => number): Ids {
  let lastMs = 0;
  let counter = 0;
  // All ids use one buffer, because a bulk write makes tens of thousands, and joined strings would fill the heap.
  const text = Buffer.alloc(RANDOM_AT + RANDOM_CHARS);
  const writeTime = (ms: number): void => {
    lastMs = ms;
    counter = 0;
    for (let at = COUNTER_AT - 1, rest = ms; at >= PREFIX_CHARS; at -= 1, rest = Math.floor(rest / 32)) {
      text[at] = letter(rest % 32);
    }
  };
  writeTime(0);
  const next = (kind: IdKind): string => {
    const ms = now();
    if (ms > lastMs) writeTime(ms);
    else if (counter === 4095) writeTime(lastMs + 1);
    else counter += 1;
    text.write(kind, 'latin1');
    const random = takeRandom();
    // 12 bits of counter and 3 random bits in 3 characters, 65 random bits in 13.
    const counted = counter * 8 + ((pool[random + 8] ?? 0) & 7);
    text[COUNTER_AT] = letter(counted >> 10);
    text[COUNTER_AT + 1] = letter(counted >> 5);
    text[COUNTER_AT + 2] = letter(counted);
    for (let i = 0; i < RANDOM_CHARS; i += 1) {
      const bit = i * 5;
      const at = random + (bit >> 3);
      const pair = ((pool[at] ?? 0) << 8) | (pool[at + 1] ?? 0);
      text[RANDOM_AT + i] = letter(pair >> (11 - (bit & 7)));
    }
    return text.toString('latin1');
  };
  const secret = (kind: IdKind): string =>
    kind + Array.from(randomBytes(SECRET_CHARS), (byte) => String.fromCharCode(letter(byte))).join('');
  return { next, secret };
}

/** What all ids of a kind have in front that were made at this instant or later, for a range of ids. */
export function idsFrom(kind: IdKind, ms: number): string {
  const time = Array.from({ length: TIME_CHARS }, (_, index) => Math.floor(ms / 32 ** index));
  return (
    kind +
    time
      .map((value) => String.fromCharCode(letter(value % 32)))
      .reverse()
      .join('')
  );
}

/** The pattern of ids of a kind. An id of another form names no object and is answered 404. */
export function idPattern(kind: IdKind): string {
  return `^${kind}[0-9a-z]{1,64}$`;
}
