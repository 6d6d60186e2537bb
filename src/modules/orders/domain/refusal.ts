/** Why a rule refuses. Whoever asked turns it into the answer of its own family. */
export const REFUSALS = [
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
  'not_found',
] as const;
export type RefusalCode = (typeof REFUSALS)[number];

/** What a refusal of the state is about. */
export interface RefusedPart {
  readonly kind: 'order' | 'shipment' | 'return';
  readonly id: string;
}

export interface RefusalOptions {
  /** Documented facts beside the code. */
  readonly facts?: Readonly<Record<string, unknown>>;
  /** Path below the body, where it is what was sent that is wrong. */
  readonly at?: readonly (string | number)[];
  readonly input?: unknown;
  /** The answer then says what could be done with it instead. */
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
