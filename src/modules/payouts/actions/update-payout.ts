/** Applies a report about a payout: its state, the state of its settlement, and the money between the accounts. */
import { sydneyDate } from '../../../kernel/australia/sydney.ts';
import type { Acting } from '../../../kernel/context.ts';
import { type EventOf, IntakeRejection } from '../../../kernel/events.ts';
import { type Account, type JournalKind, move, postJournals } from '../../ledger/index.ts';
import {
  applyDebt,
  emitSettlement,
  findSettlement,
  moveSettlement,
  type PayoutStatus,
  type SettlementEvent,
  type SettlementRow,
  type SettlementStatus,
  settlementMachine,
  settlementPaid,
  updateSettlement,
} from '../../settlements/index.ts';
import type { PayoutEvent } from '../domain/payout-machine.ts';
import { decidePayout, type ReportedStatus } from '../domain/payout-update.ts';
import { payoutFailed, payoutInTransit, payoutPaid, payoutReturned } from '../events.ts';
import { type PayoutWire, payoutToWire } from '../schemas/payout.ts';
import {
  addPayoutChange,
  findPayout,
  lastPayoutOf,
  type PayoutFields,
  type PayoutRow,
  writePayout,
} from '../store/payouts.ts';

/** What the marketplace or a provider reports of a payout. */
export interface PayoutReport {
  readonly status: ReportedStatus;
  /** RFC 3339. */
  readonly at: string;
  readonly provider: string;
  readonly provider_payout_id: string | null;
  readonly failure_code: string | null;
  readonly payment_reference: string | null;
  readonly bank_reference: string | null;
  readonly provider_transfer_id?: string | null;
  readonly failure_message?: string | null;
  /** Days, `YYYY-MM-DD`: the expected day of arrival, and after a failure the day of the next attempt. */
  readonly expected_arrival_on?: string | null;
  readonly retry_on?: string | null;
}

interface Move {
  readonly status: PayoutStatus;
  readonly journal: JournalKind;
  readonly debit: Account;
  readonly credit: Account;
  readonly settlement: SettlementEvent;
  readonly to: SettlementStatus;
  readonly emits: EventOf<PayoutWire>;
}

const FAILED: Move = {
  status: 'failed',
  journal: 'payout_failed',
  debit: 'seller_in_transit',
  credit: 'seller_settled',
  settlement: 'fail',
  to: 'payment_failed',
  emits: payoutFailed,
};
const SENT: Move = {
  status: 'in_transit',
  journal: 'payout_sent',
  debit: 'seller_settled',
  credit: 'seller_in_transit',
  settlement: 'send',
  to: 'processing',
  emits: payoutInTransit,
};
const MOVES: Readonly<Record<PayoutEvent, Move>> = {
  create: SENT,
  send: SENT,
  pay: {
    status: 'paid',
    journal: 'payout_paid',
    debit: 'seller_in_transit',
    credit: 'provider_clearing',
    settlement: 'pay',
    to: 'paid',
    emits: payoutPaid,
  },
  fail: FAILED,
  cancel: { ...FAILED, status: 'canceled' },
  return: {
    status: 'returned',
    journal: 'payout_returned',
    debit: 'provider_clearing',
    credit: 'seller_settled',
    settlement: 'return',
    to: 'payment_failed',
    emits: payoutReturned,
  },
};

const reject = (code: string, detail: string) => new IntakeRejection(code, detail);

/** @throws IntakeRejection `settlement_on_hold`, `invalid_transition` */
function requireSendable({ status, settlement_id }: SettlementRow): void {
  if (status === 'on_hold') throw reject('settlement_on_hold', `Settlement ${settlement_id} is on hold.`);
  if (!settlementMachine.allows('send', status))
    throw reject(
      'invalid_transition',
      `Settlement ${settlement_id} is ${status}: no payout can be sent for it.`,
    );
}

/** The payout with the references that a report adds. */
function withReferences(payout: PayoutFields, report: PayoutReport): PayoutFields {
  const bank_reference = report.bank_reference ?? payout.bank_reference;
  return {
    ...payout,
    provider_payout_id: payout.provider_payout_id ?? report.provider_payout_id,
    provider_transfer_id: payout.provider_transfer_id ?? report.provider_transfer_id ?? null,
    expected_arrival_on: report.expected_arrival_on ?? payout.expected_arrival_on,
    payment_reference: report.payment_reference ?? payout.payment_reference,
    bank_reference,
    bank_reference_status: bank_reference === null ? payout.bank_reference_status : 'supported',
  };
}

/** A new attempt of a settlement. */
export function newPayout(
  ctx: Acting,
  settlement: SettlementRow,
  last: PayoutRow | undefined,
  provider: string,
): PayoutFields {
  return {
    payout_id: ctx.ids.next('pay_'),
    settlement_id: settlement.settlement_id,
    attempt: (last?.attempt ?? 0) + 1,
    retry_of: last?.payout_id ?? null,
    amount_minor: settlement.payout_amount_minor,
    currency: settlement.currency,
    status: 'pending',
    provider,
    provider_payout_id: null,
    provider_transfer_id: null,
    method: 'bank_account',
    destination: null,
    created_at: ctx.at(),
    sent_at: null,
    expected_arrival_on: null,
    paid_at: null,
    returned_at: null,
    failure_code: null,
    failure_message: null,
    payment_reference: null,
    bank_reference: null,
    bank_reference_status: 'pending',
    version: 0,
  };
}

/** The payout after a move. */
function movedPayout(payout: PayoutFields, { status }: Move, report: PayoutReport): PayoutFields {
  const at = new Date(report.at).toISOString();
  return {
    ...withReferences(payout, report),
    status,
    sent_at: status === 'in_transit' ? at : payout.sent_at,
    paid_at: status === 'paid' ? at : payout.paid_at,
    returned_at: status === 'returned' ? at : payout.returned_at,
    failure_code: report.failure_code ?? payout.failure_code,
    failure_message: report.failure_message ?? payout.failure_message,
  };
}

async function emitPayout(ctx: Acting, event: EventOf<PayoutWire>, payoutId: string): Promise<void> {
  const row = await findPayout(ctx, payoutId);
  if (row === undefined) throw new Error(`payout ${payoutId} is gone`);
  await ctx.emit(event.of(payoutToWire(row, ctx.now()), { version: row.version }));
}

/** Writes the move of a payout with its journal, the move of its settlement and the events. */
async function applyMove(
  ctx: Acting,
  settlement: SettlementRow,
  before: PayoutFields,
  event: PayoutEvent,
  report: PayoutReport,
): Promise<void> {
  const actor = ctx.by.kind;
  const made = MOVES[event];
  const after = movedPayout(before, made, report);
  const { payout_id, settlement_id } = after;
  await writePayout(ctx, after);
  const reason = made.status === 'failed' || made.status === 'returned' ? report.failure_code : null;
  const change = { status: made.status, at: report.at, actor, reason, source_event_id: ctx.cause };
  await addPayoutChange(ctx, payout_id, change);
  // A payout that fails before it was sent has moved no money.
  if (before.status !== 'pending' || made.to === 'processing')
    await postJournals(ctx, [
      {
        kind: made.journal,
        key: `${made.journal}:${payout_id}`,
        currency: after.currency,
        occurred_at: report.at,
        actor,
        settlement_id,
        payout_id,
        source_event_id: ctx.cause,
        legs: move(made.debit, made.credit, after.amount_minor),
      },
    ]);
  if (event !== 'send')
    await moveSettlement(ctx, settlement, made.settlement, {
      status: made.to,
      expected_payout_on:
        made.to === 'processing' ? settlement.expected_payout_on : (report.retry_on ?? null),
      paid_on: made.to === 'paid' ? sydneyDate(Date.parse(report.at)) : null,
      payment_reference: after.payment_reference ?? settlement.payment_reference,
      reason,
    });
  await emitPayout(ctx, made.emits, payout_id);
  if (made.to === 'paid') await emitSettlement(ctx, settlementPaid, settlement_id);
  if (made.to === 'payment_failed') await applyDebt(ctx, settlement.currency);
}

/** Writes new references of a payout. @returns false if none is new */
async function addReferences(
  ctx: Acting,
  settlement: SettlementRow,
  payout: PayoutRow,
  report: PayoutReport,
): Promise<boolean> {
  const after = withReferences(payout, report);
  const known = (row: PayoutFields) =>
    JSON.stringify([
      row.provider_payout_id,
      row.provider_transfer_id,
      row.payment_reference,
      row.bank_reference,
      row.expected_arrival_on,
    ]);
  if (known(after) === known(payout)) return false;
  await writePayout(ctx, after);
  const { payment_reference } = after;
  if (payment_reference !== settlement.payment_reference)
    await updateSettlement(ctx, settlement, { status: settlement.status, payment_reference });
  return true;
}

/**
 * Applies a report about a payout, or about the last payout of a settlement. The caller holds the lock of the ledger.
 *
 * @param payout the payout that the report names
 * @returns false if the report is stale
 * @throws IntakeRejection `payout_not_found`, `provider_owned`, `invalid_transition`, `settlement_on_hold`; the report may be sent again
 */
export async function updatePayout(
  ctx: Acting,
  settlementId: string,
  payout: PayoutRow | undefined,
  report: PayoutReport,
): Promise<boolean> {
  const settlement = await findSettlement(ctx, settlementId);
  if (settlement === undefined)
    throw reject('settlement_not_found', 'The seller has no such closed settlement.');
  const last = await lastPayoutOf(ctx, settlementId);
  // If no payout has the provider's id, the report is about the last payout, unless that has another id.
  const fits = report.provider_payout_id === null || last?.provider_payout_id === null;
  const found = payout ?? (fits ? last : undefined);
  const known = found && {
    status: found.status,
    at: Date.parse(found.status_history.at(-1)?.at ?? found.created_at),
  };
  const at = Date.parse(report.at);
  // The report is about an earlier attempt that was not reported before the next attempt began.
  if (found === undefined && last?.sent_at != null && at < Date.parse(last.sent_at)) return false;
  const decision = decidePayout(known, { status: report.status, at, named: payout !== undefined });
  if (decision === null) return false;
  if (decision === 'attempt') {
    requireSendable(settlement);
    await applyMove(ctx, settlement, newPayout(ctx, settlement, last, report.provider), 'create', report);
    return true;
  }
  if (found === undefined) throw reject('payout_not_found', 'The settlement has no such payout.');
  // The provider may be sending this attempt now. If another attempt replaced it, the settlement would be paid twice.
  if (found.provider !== report.provider)
    throw reject(
      'provider_owned',
      `The payout is made by ${found.provider}; only that provider reports its state.`,
    );
  if (decision === 'refuse')
    throw reject('invalid_transition', `The payout is ${found.status}; it cannot become ${report.status}.`);
  if (decision === 'repeat') return addReferences(ctx, settlement, found, report);
  await applyMove(ctx, settlement, found, decision, report);
  return true;
}
