/**
 * Rules of Australian postal addresses: the state exists, and the postcode has four digits and belongs to the state.
 * Only Australia Post delivers to some delivery points. Source: Australia Post's addressing guidelines.
 */

import type { FieldProblem } from '../errors.ts';
import { AU_STATES, type AuState, isAuPostcode, isAuState, postcodeInState } from './postcode.ts';

/** The part of an address that the rules are about. */
interface AddressArea {
  readonly state?: string | null | undefined;
  readonly postcode?: string | null | undefined;
  /** ISO 3166-1 alpha-2. */
  readonly country: string;
}

/** A postal address, in Australia or abroad. Null and absent mean the same. */
export interface PostalAddress {
  readonly name?: string | null;
  readonly company?: string | null;
  readonly line1: string;
  readonly line2?: string | null;
  readonly city: string;
  readonly state?: string | null;
  readonly postcode?: string | null;
  /** ISO 3166-1 alpha-2. */
  readonly country: string;
}

/**
 * The problems of an Australian address. Addresses of other countries are not checked.
 *
 * @param at the path of the address in the request, for example `['body', 'to']`
 */
export function auAddressProblems(
  { state, postcode, country }: AddressArea,
  at: readonly (string | number)[],
): FieldProblem[] {
  if (country !== 'AU') return [];
  const problem = (field: string, msg: string, type: string, input: unknown): FieldProblem[] => [
    { loc: [...at, field], msg, type, input },
  ];
  if (typeof state !== 'string' || !isAuState(state)) {
    const said = state == null ? 'An address in Australia needs a state, one of' : 'Must be one of';
    return problem('state', `${said}: ${AU_STATES.join(', ')}.`, 'enum', state);
  }
  if (typeof postcode !== 'string' || !isAuPostcode(postcode)) {
    const msg = 'An Australian postcode has four digits.';
    return problem('postcode', msg, 'string_pattern_mismatch', postcode);
  }
  if (!postcodeInState(postcode, state)) {
    const msg = `The postcode ${postcode} is not in ${state}.`;
    return problem('postcode', msg, 'postcode_outside_state', postcode);
  }
  return [];
}

const STATE_NAMES: Readonly<Record<string, AuState>> = {
  'AUSTRALIAN CAPITAL TERRITORY': 'ACT',
  'NEW SOUTH WALES': 'NSW',
  'NORTHERN TERRITORY': 'NT',
  QUEENSLAND: 'QLD',
  'SOUTH AUSTRALIA': 'SA',
  TASMANIA: 'TAS',
  VICTORIA: 'VIC',
  'WESTERN AUSTRALIA': 'WA',
};

const trimmed = (value: unknown): string | null =>
  typeof value === 'string' && value.trim() !== '' ? value.trim().replace(/\s+/g, ' ') : null;

/**
 * Reads the area of an address from any JSON. A state may be given by its name or in lower case, and a postcode as a
 * number. Unknown values are kept as they are.
 *
 * @param given an address without a country is Australian
 */
export function spelledArea(given: { readonly [field in keyof AddressArea]?: unknown }) {
  const { state, postcode, country } = given;
  const code = trimmed(country)?.toUpperCase() ?? 'AU';
  const area = {
    country: code === 'AUSTRALIA' || code === 'AUS' ? 'AU' : code,
    state: trimmed(state),
    postcode: trimmed(typeof postcode === 'number' ? String(postcode) : postcode),
  };
  const name = area.state?.toUpperCase() ?? '';
  if (area.country !== 'AU') return area;
  return { ...area, state: isAuState(name) ? name : (STATE_NAMES[name] ?? area.state) };
}

/** The state of a postcode; if several states share it, the first by name. Undefined if no state uses it. */
export function stateOfPostcode(postcode: string): AuState | undefined {
  return AU_STATES.find((state) => postcodeInState(postcode, state));
}

type DeliveryPoint = 'street' | 'po_box' | 'parcel_locker';

/** Parcel lockers and counters of Australia Post. */
const PARCEL_LOCKER = /\bparcel\s{0,3}(?:locker|collect)\b/i;
/** Post office boxes and bags, in the spellings that people use. */
const PO_BOX =
  /\b(?:(?:[gl]\.?\s?)?p\.?\s?o\.?\s{0,3}(?:box|bag)(?![a-z])|cm[ab]\s{1,3}\d|post\s{1,3}office\s{1,3}box(?![a-z])|(?:locked|private|community\s{1,3}mail)\s{1,3}(?:mail\s{1,3})?bag\b|care\s{1,3}(?:of\s{1,3})?po\b)/i;

/** The kind of delivery point. Many carriers deliver only to streets. */
export function deliveryPointOf(lines: readonly (string | null | undefined)[]): DeliveryPoint {
  const text = lines.filter((line) => line != null).join('\n');
  if (PARCEL_LOCKER.test(text)) return 'parcel_locker';
  return PO_BOX.test(text) ? 'po_box' : 'street';
}
