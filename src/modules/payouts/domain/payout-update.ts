/** What a word about a payout means for what is known of it. By rank and instant, never "the last one wins". */
import type { PayoutStatus } from '../../settlements/domain/payout-status.ts';
import { type PayoutEvent, payoutMachine } from './payout-machine.ts';

/** What may be said of a payout. */
export const PAYOUT_WORDS = ['in_transit', 'paid', 'failed', 'canceled', 'returned'] as const;
export type PayoutWord = (typeof PAYOUT_WORDS)[number];

const EVENT_OF: Readonly<Record<PayoutWord, PayoutEvent>> = {
  in_transit: 'send',
  paid: 'pay',
  failed: 'fail',
  canceled: 'cancel',
  returned: 'return',
};
/** A word of a lower rank is older news, whenever it comes. */
const RANK: Readonly<Record<PayoutStatus, number>> = {
  pending: 0,
  in_transit: 1,
  paid: 2,
  failed: 2,
  canceled: 2,
  returned: 3,
};
const ENDED: readonly PayoutStatus[] = ['failed', 'canceled', 'returned'];

export interface Said {
  readonly word: PayoutWord;
  /** When it happened, milliseconds. */
  readonly at: number;
  /** The payout itself is named, not only its settlement. */
  readonly named: boolean;
}

export interface KnownPayout {
  readonly status: PayoutStatus;
  /** When it came to be so, milliseconds. */
  readonly at: number;
}

/** `repeat`: it is so already; `attempt`: another payout; null: older news; `refuse`: it cannot be, or not yet. */
export type Decision = PayoutEvent | 'repeat' | 'attempt' | 'refuse' | null;

/** @param payout the payout that is meant; undefined when none is known */
export function decidePayout(payout: KnownPayout | undefined, { word, at, named }: Said): Decision {
  if (payout === undefined) return word === 'in_transit' ? 'attempt' : 'refuse';
  const { status } = payout;
  if (word === status) return 'repeat';
  const isNews = at > payout.at;
  if (word === 'in_transit' && ENDED.includes(status)) return named || !isNews ? null : 'attempt';
  // Banks send money back days later; a provider calls that a failure.
  const event = word === 'failed' && status === 'paid' && isNews ? 'return' : EVENT_OF[word];
  if (payoutMachine.allows(event, status)) return event;
  return RANK[word] < RANK[status] || !isNews ? null : 'refuse';
}
