/**
 * Identifiers: a prefix that names the kind, then 26 characters of Crockford base 32.
 * 48 bits of time keep them in order of creation, a 12-bit counter keeps the order within a millisecond,
 * 68 random bits make them impossible to guess. Source: contract section 1.
 */
import { randomFillSync } from 'node:crypto';

export const ID_PREFIXES = {
  seller: 'slr_',
  product: 'prd_',
  image: 'img_',
  feedRun: 'frn_',
  event: 'evt_',
  notification: 'ntf_',
  endpoint: 'whe_',
  delivery: 'dlv_',
  replay: 'rpl_',
  member: 'mbr_',
  session: 'ses_',
  audit: 'aud_',
  file: 'fil_',
  job: 'job_',
  order: 'ord_',
  orderLine: 'oli_',
  shipment: 'shp_',
  label: 'lbl_',
  cancelRequest: 'crq_',
  return: 'rtn_',
  refund: 'rfd_',
  dispute: 'dsp_',
  shippingProfile: 'spf_',
  shippingRule: 'spr_',
  quote: 'qte_',
  manifest: 'man_',
  request: 'req_',
} as const;
export type IdKind = keyof typeof ID_PREFIXES;

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
const POOL_BYTES = 9 * 512;
const pool = Buffer.allocUnsafe(POOL_BYTES);
let poolOffset = POOL_BYTES;

function randomBytes9(): Buffer {
  if (poolOffset >= POOL_BYTES) {
    randomFillSync(pool);
    poolOffset = 0;
  }
  const slice = pool.subarray(poolOffset, poolOffset + 9);
  poolOffset += 9;
  return slice;
}

function encode(value: number, length: number): string {
  let text = '';
  for (let i = 0; i < length; i += 1) {
    text = ALPHABET.charAt(value % 32) + text;
    value = Math.floor(value / 32);
  }
  return text;
}

export interface Ids {
  next(kind: IdKind): string;
}

/** Identifiers on the given clock; ids of one process never run backwards, even when its clock does. */
export function createIds(now: () => number): Ids {
  let lastMs = 0;
  let counter = 0;
  const next = (kind: IdKind): string => {
    const ms = now();
    if (ms > lastMs) {
      lastMs = ms;
      counter = 0;
    } else if (counter === 4095) {
      lastMs += 1;
      counter = 0;
    } else {
      counter += 1;
    }
    const random = randomBytes9();
    // 10 characters of time, 12 bits of counter + 3 random bits in 3 characters, 65 random bits in 13.
    let tail = '';
    for (let i = 0; i < 13; i += 1) {
      const bit = i * 5;
      const pair = ((random[bit >> 3] ?? 0) << 8) | (random[(bit >> 3) + 1] ?? 0);
      tail += ALPHABET.charAt((pair >> (11 - (bit & 7))) & 31);
    }
    return `${ID_PREFIXES[kind]}${encode(lastMs, 10)}${encode(counter * 8 + ((random[8] ?? 0) & 7), 3)}${tail}`;
  };
  return { next };
}

/** Shape of an identifier of the given kind; anything of another shape names nothing and is answered 404. */
export function idPattern(kind: IdKind): string {
  return `^${ID_PREFIXES[kind]}[0-9a-z]{1,64}$`;
}
