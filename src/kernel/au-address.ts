/**
 * Rules of Australian postal addresses: the state is one of the country's, the postcode has four digits and lies in
 * it, and some delivery points take parcels of the post only. Source: Australia Post's addressing guidelines.
 */
import { AU_STATES, type AuState, isAuPostcode, isAuState, postcodeInState } from './au-postcode.ts';
import type { FieldProblem } from './errors.ts';

/** The part of an address that the rules are about. */
export interface AddressArea {
  readonly state?: string | null | undefined;
  readonly postcode?: string | null | undefined;
  /** ISO 3166-1 alpha-2. */
  readonly country: string;
}

/**
 * What is wrong with an Australian address; other countries' are taken as they are.
 *
 * @param at where the address stands, for example `['body', 'to']`
 */
export function auAddressProblems(
  { state, postcode, country }: AddressArea,
  at: readonly (string | number)[],
): FieldProblem[] {
  if (country !== 'AU') return [];
  const problem = (field: string, msg: string, type: string, input: unknown): FieldProblem[] => [
    { loc: [...at, field], msg, type, input },
  ];
  if (typeof state !== 'string' || !isAuState(state))
    return problem('state', `Must be one of: ${AU_STATES.join(', ')}.`, 'enum', state);
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

/** The state of a postcode; of those that share one, the first by name. Undefined: in use nowhere. */
export function stateOfPostcode(postcode: string): AuState | undefined {
  return AU_STATES.find((state) => postcodeInState(postcode, state));
}

export type DeliveryPoint = 'street' | 'po_box' | 'parcel_locker';

/** Parcel lockers and counters of the post, which name a member's number. */
const PARCEL_LOCKER = /\bparcel\s{0,3}(?:locker|collect)\b/i;
/** Boxes and bags of the post in the ways in which people write them. */
const PO_BOX =
  /\b(?:(?:g\.?\s?)?p\.?\s?o\.?\s{0,3}(?:box|bag)\b|post\s{1,3}office\s{1,3}box\b|(?:locked|private|community\s{1,3}mail)\s{1,3}(?:mail\s{1,3})?bag\b|care\s{1,3}(?:of\s{1,3})?po\b)/i;

/** Where an address leads to: many carriers deliver to streets only. */
export function deliveryPointOf(lines: readonly (string | null | undefined)[]): DeliveryPoint {
  const text = lines.filter((line) => line != null).join('\n');
  if (PARCEL_LOCKER.test(text)) return 'parcel_locker';
  return PO_BOX.test(text) ? 'po_box' : 'street';
}
