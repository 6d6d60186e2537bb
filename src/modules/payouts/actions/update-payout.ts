/** Applies what is heard of a payout: its state, its settlement's, and the money between the accounts. */

import { sydneyDate } from '../../../kernel/australia/sydney.ts';
import { IntakeRejection } from '../../../kernel/events.ts';
import { minor } from '../../../kernel/money.ts';
import { type Account, type JournalKind, move, postJournals } from '../../ledger/index.ts';
import {
  findSettlement,
  followDebt,
  moveSettlement,
  nowOf,
  type PayoutStatus,
  type SettlementCtx,
  type SettlementEvent,
  type SettlementRow,
  type SettlementStatus,
  settlementMachine,
  tellSettlement,
  updateSettlement,
} from '../../settlements/index.ts';
import type { PayoutEvent } from '../domain/payout-machine.ts';
import { decidePayout, type PayoutWord } from '../domain/payout-update.ts';
import { payoutToWire } from '../schemas/payout.ts';
import {
  addPayoutChange,
  findPayout,
  lastPayoutOf,
  type PayoutFields,
  type PayoutRow,
  writePayout,
} from '../store/payouts.ts';

/** What was said, in which event. */
export interface PayoutWords {
  readonly word: PayoutWord;
  /** RFC 3339. */
  readonly at: string;
  readonly provider: string;
  readonly provider_payout_id: string | null;
  readonly failure_code: string | null;
  readonly payment_reference: string | null;
  readonly bank_reference: string | null;
  /** Null: nobody's event, the service asked. */
  readonly source_event_id: string | null;
  readonly provider_transfer_id?: string | null;
  readonly failure_message?: string | null;
  /** Days, `YYYY-MM-DD`: when it should arrive; after a failure, when it is tried again by itself. */
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
  readonly tells: string;
}

const FAILED: Move = {
  status: 'failed',
  journal: 'payout_failed',
  debit: 'seller_in_transit',
  credit: 'seller_settled',
  settlement: 'fail',
  to: 'payment_failed',
  tells: 'payout.failed',
};
const SENT: Move = {
  status: 'in_transit',
  journal: 'payout_sent',
  debit: 'seller_settled',
  credit: 'seller_in_transit',
  settlement: 'send',
  to: 'processing',
  tells: 'payout.in_transit',
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
    tells: 'payout.paid',
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
    tells: 'payout.returned',
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

/** What is known of the references, and what is said of them now. */
function withReferences(payout: PayoutFields, said: PayoutWords): PayoutFields {
  const bank_reference = said.bank_reference ?? payout.bank_reference;
  return {
    ...payout,
    provider_payout_id: payout.provider_payout_id ?? said.provider_payout_id,
    provider_transfer_id: payout.provider_transfer_id ?? said.provider_transfer_id ?? null,
    expected_arrival_on: said.expected_arrival_on ?? payout.expected_arrival_on,
    payment_reference: said.payment_reference ?? payout.payment_reference,
    bank_reference,
    bank_reference_status: bank_reference === null ? payout.bank_reference_status : 'supported',
  };
}

/** The next attempt of a settlement, before anything was done for it. */
export function newPayout(
  ctx: SettlementCtx,
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
    created_at: nowOf(ctx),
    sent_at: null,
    expected_arrival_on: null,
    paid_at: null,
    returned_at: null,
    failure_code: null,
    failure_message: null,
    payment_reference: null,
    bank_reference: null,
    bank_reference_status: 'pending',
  };
}

/** The payout as the move leaves it. */
function moved(payout: PayoutFields, { status }: Move, said: PayoutWords): PayoutFields {
  const at = new Date(said.at).toISOString();
  return {
    ...withReferences(payout, said),
    status,
    sent_at: status === 'in_transit' ? at : payout.sent_at,
    paid_at: status === 'paid' ? at : payout.paid_at,
    returned_at: status === 'returned' ? at : payout.returned_at,
    failure_code: said.failure_code ?? payout.failure_code,
    failure_message: said.failure_message ?? payout.failure_message,
  };
}

async function tellPayout(ctx: SettlementCtx, type: string, payoutId: string): Promise<void> {
  const row = await findPayout(ctx.db, ctx.sellerId, payoutId);
  if (row === undefined) throw new Error(`payout ${payoutId} is gone`);
  const object = payoutToWire(row, ctx.now());
  await ctx.emit({ type, object_id: payoutId, object_version: row.version, data: { object } });
}

/** Writes a move of a payout with all that it moves: nothing of it stands alone. */
async function applyMove(
  ctx: SettlementCtx,
  settlement: SettlementRow,
  before: PayoutFields,
  event: PayoutEvent,
  said: PayoutWords,
): Promise<void> {
  const { db, sellerId, actor } = ctx;
  const { source_event_id } = said;
  const made = MOVES[event];
  const after = moved(before, made, said);
  const { payout_id, settlement_id } = after;
  await writePayout(db, sellerId, after, nowOf(ctx));
  const reason = made.status === 'failed' || made.status === 'returned' ? said.failure_code : null;
  await addPayoutChange(db, sellerId, payout_id, {
    status: made.status,
    at: said.at,
    actor,
    reason,
    source_event_id,
  });
  // What fails before it was sent has moved nothing.
  if (before.status !== 'pending' || made.to === 'processing')
    await postJournals(ctx, [
      {
        kind: made.journal,
        key: `${made.journal}:${payout_id}`,
        currency: after.currency,
        occurred_at: said.at,
        actor,
        settlement_id,
        payout_id,
        source_event_id,
        legs: move(made.debit, made.credit, minor(after.amount_minor)),
      },
    ]);
  if (event !== 'send')
    await moveSettlement(ctx, settlement, made.settlement, {
      status: made.to,
      expected_payout_on: made.to === 'processing' ? settlement.expected_payout_on : (said.retry_on ?? null),
      paid_on: made.to === 'paid' ? sydneyDate(Date.parse(said.at)) : null,
      payment_reference: after.payment_reference ?? settlement.payment_reference,
      reason,
    });
  await tellPayout(ctx, made.tells, payout_id);
  if (made.to === 'paid') await tellSettlement(ctx, 'settlement.paid', settlement_id);
  if (made.to === 'payment_failed') await followDebt(ctx, settlement.currency);
}

/** References that were not known before; false when nothing is new. */
async function noteReferences(
  ctx: SettlementCtx,
  settlement: SettlementRow,
  payout: PayoutRow,
  said: PayoutWords,
): Promise<boolean> {
  const after = withReferences(payout, said);
  const known = (row: PayoutFields) =>
    JSON.stringify([
      row.provider_payout_id,
      row.provider_transfer_id,
      row.payment_reference,
      row.bank_reference,
      row.expected_arrival_on,
    ]);
  if (known(after) === known(payout)) return false;
  await writePayout(ctx.db, ctx.sellerId, after, nowOf(ctx));
  const { payment_reference } = after;
  if (payment_reference !== settlement.payment_reference)
    await updateSettlement(ctx.db, ctx.sellerId, settlement, {
      status: settlement.status,
      payment_reference,
    });
  return true;
}

/**
 * Applies what was said of a payout, or of the last payout of a settlement. The caller holds the ledger.
 *
 * @param payout the payout that is named itself
 * @returns false for older news
 * @throws IntakeRejection `payout_not_found`, `invalid_transition`, `settlement_on_hold`: it may come again later
 */
export async function updatePayout(
  ctx: SettlementCtx,
  settlementId: string,
  payout: PayoutRow | undefined,
  said: PayoutWords,
): Promise<boolean> {
  const { db, sellerId } = ctx;
  const settlement = await findSettlement(db, sellerId, settlementId);
  if (settlement === undefined)
    throw reject('settlement_not_found', 'The seller has no such closed settlement.');
  const last = await lastPayoutOf(db, sellerId, settlementId);
  // Named by an id of the provider's that nobody knows: the last one, should its id not be known yet.
  const fits = said.provider_payout_id === null || last?.provider_payout_id === null;
  const meant = payout ?? (fits ? last : undefined);
  const known = meant && {
    status: meant.status,
    at: Date.parse(meant.status_history.at(-1)?.at ?? meant.created_at),
  };
  // Of an attempt that nobody told of while it lasted: another one has followed, so nothing has come of it.
  if (meant === undefined && last?.sent_at != null && Date.parse(said.at) < Date.parse(last.sent_at))
    return false;
  const decision = decidePayout(known, {
    word: said.word,
    at: Date.parse(said.at),
    named: payout !== undefined,
  });
  if (decision === null) return false;
  if (decision === 'attempt') {
    requireSendable(settlement);
    await applyMove(ctx, settlement, newPayout(ctx, settlement, last, said.provider), 'create', said);
    return true;
  }
  if (meant === undefined) throw reject('payout_not_found', 'The settlement has no such payout.');
  if (decision === 'refuse')
    throw reject('invalid_transition', `The payout is ${meant.status}; it cannot become ${said.word}.`);
  if (decision === 'repeat') return noteReferences(ctx, settlement, meant, said);
  // Whom it was asked of may be sending it this moment: ended by anybody else, it would be paid once more.
  if (meant.provider !== said.provider)
    throw reject(
      'invalid_transition',
      `The payout is made by ${meant.provider}, which alone says how it goes.`,
    );
  await applyMove(ctx, settlement, meant, decision, said);
  return true;
}
