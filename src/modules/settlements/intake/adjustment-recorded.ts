/** `marketplace.adjustment.recorded`: a person at the marketplace moves money of a seller, with a reason. */

import Type, { type Static } from 'typebox';
import {
  defineMarketplaceEvent,
  type IntakeCtx,
  type IntakeOutcome,
  IntakeRejection,
  type MarketplaceEvent,
} from '../../../kernel/events.ts';
import { minor } from '../../../kernel/money.ts';
import { Nullable, StringEnum } from '../../../kernel/schema.ts';
import {
  type Account,
  type EntryType,
  findPostedLine,
  type NewJournal,
  postJournals,
  statementLegs,
} from '../../ledger/index.ts';
import { emitSettlement } from '../actions/move-settlement.ts';
import { settlementCorrected } from '../events.ts';
import { type ClosedSettlement, findClosed, findOrder, type NamedOrder } from '../store/adjustments.ts';
import { Name, type SellersMoney, Signed, sellersMoney } from './about-seller.ts';

const KINDS = {
  manual_adjustment: { type: 'manual_adjustment', counter: 'manual_adjustments' },
  settlement_correction: { type: 'settlement_correction', counter: 'manual_adjustments' },
  // The marketplace bears what the seller owes.
  write_off: { type: 'manual_adjustment', counter: 'platform_loss' },
} as const satisfies Readonly<Record<string, { type: EntryType; counter: Account }>>;

const Data = Type.Object({
  adjustment_id: Name,
  kind: StringEnum(['manual_adjustment', 'settlement_correction', 'write_off']),
  amount_minor: Signed,
  order_id: Type.Optional(Nullable(Name)),
  corrects_settlement_id: Type.Optional(
    Nullable(
      Type.String({
        minLength: 1,
        maxLength: 200,
        description:
          'A closed settlement of the seller. A `settlement_correction` must name one. The currency of an adjustment is that of its order, which must be that of the settlement; without an order that of the settlement, or else of the seller',
      }),
    ),
  ),
  reason_code: Name,
  description: Type.String({ minLength: 1, maxLength: 500 }),
  actor: Name,
});
type Data = Static<typeof Data>;

/** @throws IntakeRejection `data_invalid` */
function requireAmount({ kind, amount_minor }: Data): void {
  if (amount_minor === 0) throw new IntakeRejection('data_invalid', 'data/amount_minor must not be 0');
  if (kind === 'write_off' && amount_minor < 0)
    throw new IntakeRejection('data_invalid', 'data/amount_minor of a write-off credits the seller');
}

async function orderOf({ ctx }: SellersMoney, name: string | null): Promise<NamedOrder | null> {
  if (name === null) return null;
  const order = await findOrder(ctx, name);
  if (order === undefined) throw new IntakeRejection('order_not_found', 'The seller has no such order.');
  return order;
}

/**
 * The closed settlement that is corrected; null for an adjustment that corrects none.
 *
 * @throws IntakeRejection `settlement_not_found`
 */
async function correctedOf(
  { ctx }: SellersMoney,
  { kind, corrects_settlement_id: name = null }: Data,
  order: NamedOrder | null,
): Promise<ClosedSettlement | null> {
  if (name === null && kind !== 'settlement_correction') return null;
  if (name === null)
    throw new IntakeRejection(
      'settlement_not_found',
      'data/corrects_settlement_id must name the settlement that is corrected',
    );
  const found = await findClosed(ctx, name);
  if (found !== undefined && (order === null || order.currency === found.currency)) return found;
  throw new IntakeRejection(
    'settlement_not_found',
    `data/corrects_settlement_id: the seller has no closed settlement ${name}${order === null ? '' : ` in ${order.currency}`}`,
  );
}

async function journalOf(money: SellersMoney, event: MarketplaceEvent<Data>): Promise<NewJournal> {
  const { id, time, data } = event;
  const order = await orderOf(money, data.order_id ?? null);
  const corrected = await correctedOf(money, data, order);
  const { type, counter } = KINDS[data.kind];
  const line = { type, description: data.description, related_id: data.adjustment_id };
  return {
    kind: 'adjustment_recorded',
    key: `adjustment ${data.adjustment_id}`,
    currency: order?.currency ?? corrected?.currency ?? money.currency,
    occurred_at: time,
    actor: data.actor,
    reason_code: data.reason_code,
    source_event_id: id,
    order_id: order?.order_id ?? null,
    settlement_id: corrected?.settlement_id ?? null,
    not_before: order?.available_on ?? null,
    legs: statementLegs(minor(data.amount_minor), line, counter),
  };
}

async function applyRecorded(intake: IntakeCtx, event: MarketplaceEvent<Data>): Promise<IntakeOutcome> {
  const { data } = event;
  requireAmount(data);
  const money = await sellersMoney(intake, event);
  const journal = await journalOf(money, event);
  const [posted] = await postJournals(money.ctx, [journal]);
  if (posted?.isNew === true) {
    if (journal.settlement_id) await emitSettlement(money.ctx, settlementCorrected, journal.settlement_id);
    return { status: 'applied' };
  }
  const known = await findPostedLine(money.ctx, journal.key);
  const same =
    known?.amount === minor(data.amount_minor) &&
    known.type === KINDS[data.kind].type &&
    known.order_id === journal.order_id &&
    known.settlement_id === journal.settlement_id &&
    known.reason_code === journal.reason_code;
  if (same) return { status: 'stale' };
  throw new IntakeRejection(
    'invalid_transition',
    `The adjustment ${data.adjustment_id} was recorded before with other content.`,
  );
}

export const adjustmentRecorded = defineMarketplaceEvent({
  type: 'marketplace.adjustment.recorded',
  summary:
    'A credit (above zero) or debit of the seller by hand, a correction of a settlement, or a debt that is written off',
  subject: 'seller id',
  schema: Data,
  example: {
    adjustment_id: 'adj_1',
    kind: 'manual_adjustment',
    amount_minor: 1200,
    order_id: 'ord_1009',
    corrects_settlement_id: null,
    reason_code: 'goodwill',
    description: 'Carrier damage goodwill',
    actor: 'ops:7',
  },
  apply: applyRecorded,
});
