/**
 * The purposes of a seller's amounts from an order, and the texts of the statement. Source:
 * docs/design/money.md#order-facts.
 */
import { formatDecimal, minor } from '../../../kernel/money.ts';
import { type Account, ENTRY_TYPES, type EntryType } from './entry-types.ts';
import type { StatementLine } from './journal.ts';
import type { MoneyLine } from './order-money.ts';

/** A purpose. Target and posted amounts are compared by purpose, not by the types of entries. */
export const SLOTS = [
  'sale',
  'platform_fee',
  'loyalty',
  'order_fee',
  'processing',
  'refund',
  'chargeback',
  'dispute_fee',
  'platform_fee_credit',
  'loyalty_credit',
  'dispute_fee_credit',
] as const;
export type Slot = (typeof SLOTS)[number];

interface SlotDef {
  /** The types of entries in the usual and in the opposite direction. */
  readonly type: EntryType;
  readonly back: EntryType;
  /** Whether the seller gains in the usual direction. */
  readonly gains: boolean;
}

const slot = (type: EntryType, gains: boolean, back: EntryType = type): SlotDef => ({ type, back, gains });
const DEFS: Readonly<Record<Slot, SlotDef>> = {
  sale: slot('sale', true),
  platform_fee: slot('platform_fee', false),
  loyalty: slot('loyalty_program_fund', false),
  order_fee: slot('seller_order_fee', false),
  processing: slot('payment_processing', false),
  refund: slot('refund', false, 'refund_reversal'),
  chargeback: slot('chargeback', false, 'chargeback_reversal'),
  dispute_fee: slot('dispute_fee', false),
  platform_fee_credit: slot('platform_fee_credit', true, 'platform_fee_credit_reversal'),
  loyalty_credit: slot('loyalty_program_fund_credit', true, 'loyalty_program_fund_credit_reversal'),
  dispute_fee_credit: slot('dispute_fee_credit', true),
};

const BY_TYPE = new Map<EntryType, Slot>(
  SLOTS.flatMap((name) => [DEFS[name].type, DEFS[name].back].map((type) => [type, name] as const)),
);

/** @throws RangeError for a type that is not posted for orders */
export function slotOf(type: EntryType): Slot {
  const found = BY_TYPE.get(type);
  if (found === undefined) throw new RangeError(`${type} belongs to no order's book`);
  return found;
}

export function counterOf(name: Slot): Account {
  const { counter } = ENTRY_TYPES[DEFS[name].type];
  if (counter === null) throw new RangeError(`${name} needs the account of its opposite leg`);
  return counter;
}

/** Facts that the descriptions show. */
export interface SlotFacts {
  readonly lines: ReadonlyMap<string, Pick<MoneyLine, 'kind' | 'sku'>>;
  /** Platform fee in hundredths of a per cent, by line. */
  readonly rates: ReadonlyMap<string, number>;
  readonly loyalty_bps: number;
  /** The marketplace's id of the refund or the dispute. */
  readonly related_id: string | null;
  readonly won: boolean;
}

type Describe = (about: SlotFacts, orderLineId: string | null) => string;
const percent = (bps: number): string => `${formatDecimal(minor(bps))}%`;
const idOf = ({ related_id }: SlotFacts): string => related_id ?? '';

const WORDS: Readonly<Record<Slot, { readonly usual: Describe; readonly back?: Describe }>> = {
  sale: {
    usual: ({ lines }, id) => {
      const line = lines.get(id ?? '');
      return line?.kind === 'shipping' ? 'Sale shipping' : `Sale ${line?.sku ?? ''}`.trim();
    },
  },
  platform_fee: { usual: ({ rates }, id) => `Platform fee ${percent(rates.get(id ?? '') ?? 0)}` },
  loyalty: { usual: () => 'Loyalty program fund' },
  order_fee: { usual: () => 'Seller order fee' },
  processing: { usual: () => 'Payment processing' },
  refund: { usual: (about) => `Refund ${idOf(about)}`, back: (about) => `Refund ${idOf(about)} reversed` },
  chargeback: {
    usual: (about) => `Chargeback ${idOf(about)}`,
    back: (about) => (about.won ? `Chargeback won ${idOf(about)}` : `Chargeback ${idOf(about)} reversed`),
  },
  dispute_fee: { usual: (about) => `Dispute fee ${idOf(about)}` },
  platform_fee_credit: { usual: () => 'Platform fee credit', back: () => 'Platform fee credit reversal' },
  loyalty_credit: {
    usual: () => 'Loyalty program fund credit',
    back: () => 'Loyalty program fund credit reversal',
  },
  dispute_fee_credit: { usual: (about) => `Dispute fee returned ${idOf(about)}` },
};

/** The rate by which the amount of a slot was computed, if there is one. */
function rateOfSlot(
  name: Slot,
  { rates, loyalty_bps }: SlotFacts,
  orderLineId: string | null,
): number | null {
  if (name === 'platform_fee') return rates.get(orderLineId ?? '') ?? null;
  return name === 'loyalty' ? loyalty_bps : null;
}

/** The line of the statement. @param gains whether the seller gains the amount */
export function statementOf(
  name: Slot,
  gains: boolean,
  order_line_id: string | null,
  about: SlotFacts,
): StatementLine {
  const def = DEFS[name];
  const usual = gains === def.gains;
  const words = WORDS[name];
  return {
    type: usual ? def.type : def.back,
    description: (usual ? words.usual : (words.back ?? words.usual))(about, order_line_id),
    order_line_id,
    rate_bps: rateOfSlot(name, about, order_line_id),
    related_id: about.related_id,
  };
}
