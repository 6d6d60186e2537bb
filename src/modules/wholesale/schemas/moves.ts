/** Bodies of what the seller does with an order, and its history. */
import Type, { type Static } from 'typebox';
import { MINOR_MAX } from '../../../kernel/money.ts';
import { Instant, Nullable, StringEnum } from '../../../kernel/schema.ts';
import type { Fact } from '../domain/purchase.ts';
import type { FactRow } from '../store/orders.ts';
import { CloseReason, PURCHASE_EXAMPLE, PurchaseOrder } from './orders.ts';
import { AT, amount, count, day, id, LINE_ID, LINES_MAX, NOTE_CHARS_MAX, quantity, words } from './parts.ts';

const most = (description: string) =>
  Type.Optional(Type.Integer({ minimum: 0, maximum: Number(MINOR_MAX), description }));
export const Submission = Type.Object(
  {
    expected_total_minor: most('The total that you have seen; another one is refused'),
    freight_cap_minor: most('The most that you pay for freight that the supplier does not state'),
  },
  { title: 'PurchaseSubmission', description: 'What you agree to.' },
);

const lineId = id('Id of the line, `pol_…`');
export const CancelInput = Type.Object(
  {
    lines: Type.Optional(
      Type.Array(
        Type.Object(
          { purchase_line_id: lineId, quantity: quantity('Units') },
          { title: 'PurchaseCancelLineInput', description: 'Units of a line.' },
        ),
        {
          minItems: 1,
          maxItems: LINES_MAX,
          description: 'What to cancel, each line once; default: all that is owed',
        },
      ),
    ),
    reason: words(NOTE_CHARS_MAX, 'Why; the supplier reads it'),
  },
  { title: 'PurchaseCancelInput', description: 'Units that you do not want.' },
);
export const CancelResult = Type.Object(
  {
    purchase_order: PurchaseOrder,
    lines: Type.Array(
      Type.Object(
        {
          purchase_line_id: lineId,
          cancelled_now: count('Units that are cancelled: the supplier had not confirmed them'),
          requested: count('Confirmed units; the supplier decides about them'),
        },
        { title: 'PurchaseCancelledLine', description: 'What became of the units of a line.' },
      ),
      { description: 'One for each line' },
    ),
  },
  { title: 'PurchaseCancelResult', description: 'What was cancelled, and the order afterwards.' },
);
export const CANCEL_EXAMPLE: Static<typeof CancelResult> = {
  purchase_order: PURCHASE_EXAMPLE,
  lines: [{ purchase_line_id: LINE_ID, cancelled_now: 0, requested: 12 }],
};

export const CloseInput = Type.Object(
  { reason: CloseReason },
  { title: 'PurchaseCloseInput', description: 'Nothing more is awaited.' },
);

const KINDS = [
  ...(['submitted', 'answered', 'shipped', 'cancelled_by_supplier', 'cancelled_by_seller'] as const),
  ...(['not_answered', 'closed', 'received', 'reversed'] as const),
] as const;
const WHATS = [
  ...(['accepted', 'declined', 'shipped', 'cancelled', 'cancel_requested', 'received', 'rejected'] as const),
] as const;
export const HistoryEntry = Type.Object(
  {
    fact_id: Type.String({ description: 'Names the entry within the order' }),
    event: StringEnum(KINDS, { title: 'PurchaseFactKind', description: 'What happened' }),
    happened_at: Instant({ description: 'When it happened' }),
    recorded_at: Instant({ description: 'When the service learnt of it' }),
    actor: Type.Object(
      {
        kind: StringEnum(['member', 'marketplace', 'system'], {
          title: 'PurchaseActorKind',
          description: '`marketplace`: it told what the supplier did',
        }),
        id: Nullable(Type.String({ description: 'Id of the member' })),
      },
      { title: 'PurchaseActor', description: 'Who did it.' },
    ),
    units: Type.Array(
      Type.Object(
        {
          line_no: count('Number of the line', 1),
          what: StringEnum(WHATS, {
            title: 'PurchaseUnitsChange',
            description: 'What happened to the units',
          }),
          quantity: count('Units, as they were told'),
          promised_on: Nullable(day('The day that the supplier promised for them')),
          pack_price_minor: Nullable(amount('The price of a pack that the supplier named')),
        },
        { title: 'PurchaseHistoryUnits', description: 'Units that an entry is about.' },
      ),
      { description: 'What it is about' },
    ),
    freight_minor: Nullable(amount('The freight that the supplier named')),
    reason: Nullable(Type.String({ description: 'Why' })),
    receipt_id: Nullable(id('The receipt or the reversal, `rec_…`')),
  },
  { title: 'PurchaseHistoryEntry', description: 'Something that happened to an order.' },
);
type WireEntry = Static<typeof HistoryEntry>;
type Units = WireEntry['units'][number];

export const HISTORY_EXAMPLE: WireEntry = {
  ...{ fact_id: 'answer/a-1', event: 'answered', happened_at: AT, recorded_at: AT },
  ...{ actor: { kind: 'marketplace', id: null }, freight_minor: null, reason: null, receipt_id: null },
  units: [
    { line_no: 1, what: 'accepted', quantity: 132, promised_on: '2026-08-03', pack_price_minor: 5_945 },
    { line_no: 1, what: 'declined', quantity: 12, promised_on: null, pack_price_minor: null },
  ],
};

const none = { promised_on: null, pack_price_minor: null };
const unitsOf = (
  what: Units['what'],
  lines: readonly { readonly line_no: number; readonly quantity: number }[],
): Units[] => lines.map(({ line_no, quantity: units }) => ({ line_no, what, quantity: units, ...none }));

function factUnits(fact: Fact): Units[] {
  if (fact.kind === 'answered')
    return fact.lines.flatMap(({ line_no, accepted, declined, promised_on, pack_price_minor }): Units[] => [
      { line_no, what: 'accepted', quantity: accepted, promised_on, pack_price_minor },
      { line_no, what: 'declined', quantity: declined, ...none },
    ]);
  if (fact.kind === 'shipped') return unitsOf('shipped', fact.lines);
  if (fact.kind === 'cancelled_by_supplier') return unitsOf('cancelled', fact.lines);
  if (fact.kind === 'cancelled_by_seller')
    return [...unitsOf('cancelled', fact.lines), ...unitsOf('cancel_requested', fact.requested)];
  if (fact.kind !== 'received') return [];
  return fact.lines.flatMap(({ line_no, good, rejected }): Units[] => [
    { line_no, what: 'received', quantity: good, ...none },
    ...(rejected > 0 ? [{ line_no, what: 'rejected' as const, quantity: rejected, ...none }] : []),
  ]);
}

export const toEntry = ({ fact_id, fact, happened_at, recorded_at, actor }: FactRow): WireEntry => ({
  ...{ fact_id, event: fact.kind, happened_at, recorded_at, units: factUnits(fact) },
  actor: {
    kind: actor.kind === 'member' || actor.kind === 'marketplace' ? actor.kind : 'system',
    id: actor.id,
  },
  freight_minor: fact.kind === 'answered' ? fact.freight_minor : null,
  reason: 'reason' in fact ? fact.reason : null,
  receipt_id: 'receipt_id' in fact ? fact.receipt_id : null,
});
