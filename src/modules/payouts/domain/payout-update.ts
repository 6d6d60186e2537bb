/** Decides what a report changes about a payout. Ranks and instants decide, not the order of arrival. */
import type { PayoutStatus } from '../../settlements/domain/payout-status.ts';
import { type PayoutEvent, payoutMachine } from './payout-machine.ts';

/** The states that a report may name. */
export const REPORTED_STATUSES = ['in_transit', 'paid', 'failed', 'canceled', 'returned'] as const;
export type ReportedStatus = (typeof REPORTED_STATUSES)[number];

const EVENT_OF: Readonly<Record<ReportedStatus, PayoutEvent>> = {
  in_transit: 'send',
  paid: 'pay',
  failed: 'fail',
  canceled: 'cancel',
  returned: 'return',
};
/** A report with a lower rank is older, even if it arrives later. */
const RANK: Readonly<Record<PayoutStatus, number>> = {
  pending: 0,
  in_transit: 1,
  paid: 2,
  failed: 2,
  canceled: 2,
  returned: 3,
};
const ENDED: readonly PayoutStatus[] = ['failed', 'canceled', 'returned'];

interface Reported {
  readonly status: ReportedStatus;
  /** When it happened, milliseconds. */
  readonly at: number;
  /** Whether the report names the payout itself, and not only its settlement. */
  readonly named: boolean;
}

interface KnownPayout {
  readonly status: PayoutStatus;
  /** The instant since which the payout has this state, in milliseconds. */
  readonly at: number;
}

/**
 * An event of the machine, or:
 * - `repeat`: the payout already has this state.
 * - `attempt`: another attempt begins.
 * - `refuse`: the state cannot follow the present one.
 * - null: the report is stale.
 */
export type Decision = PayoutEvent | 'repeat' | 'attempt' | 'refuse' | null;

/** @param payout the payout that the report is about; undefined when none is known */
export function decidePayout(
  payout: KnownPayout | undefined,
  { status: reported, at, named }: Reported,
): Decision {
  if (payout === undefined) return reported === 'in_transit' ? 'attempt' : 'refuse';
  const { status } = payout;
  if (reported === status) return 'repeat';
  const isNewer = at > payout.at;
  if (reported === 'in_transit' && ENDED.includes(status)) return named || !isNewer ? null : 'attempt';
  // A bank may return money days later. A provider calls that a failure.
  const event = reported === 'failed' && status === 'paid' && isNewer ? 'return' : EVENT_OF[reported];
  if (payoutMachine.allows(event, status)) return event;
  return RANK[reported] < RANK[status] || !isNewer ? null : 'refuse';
}
