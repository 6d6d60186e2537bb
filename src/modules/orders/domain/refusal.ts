/** Codes of refusals by rules. Routes make them errors of the API; the intake makes them rejections. */
const REFUSALS = [
  'invalid_transition',
  'acceptance_window_passed',
  'quantity_exceeds_open',
  'insufficient_stock',
  'version_conflict',
  'already_dispatched',
  'already_answered',
  'label_exists',
  'label_missing',
  'tracking_window_passed',
  'refund_exceeds_line',
  'refund_exceeds_paid',
  'line_not_found',
  'duplicate_line',
  'not_an_item',
  'instant_in_future',
  'before_acceptance',
  'tracking_missing',
  'return_window_passed',
  'supplied_by_dropship',
  'not_found',
] as const;
export type RefusalCode = (typeof REFUSALS)[number];

/** The object whose state refuses. */
export interface RefusedPart {
  readonly kind: 'order' | 'shipment' | 'return';
  readonly id: string;
}

interface RefusalOptions {
  /** Further fields of the error body. */
  readonly facts?: Readonly<Record<string, unknown>>;
  /** Path in the body, when the request itself is wrong. */
  readonly at?: readonly (string | number)[];
  readonly input?: unknown;
  /** The answer then lists the actions that this object allows. */
  readonly about?: RefusedPart;
}

export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly code: RefusalCode;
  readonly facts: Readonly<Record<string, unknown>>;
  readonly at: readonly (string | number)[] | undefined;
  readonly input: unknown;
  readonly about: RefusedPart | undefined;

  constructor(code: RefusalCode, message: string, { facts = {}, at, input, about }: RefusalOptions = {}) {
    super(message);
    this.code = code;
    this.facts = facts;
    this.at = at;
    this.input = input;
    this.about = about;
  }
}
