/** The payout on the wire: docs/design/money.md#payouts. */
import Type, { type Static } from 'typebox';
import { minor, minorToJson } from '../../../kernel/money.ts';
import { described, Instant, Nullable, StringEnum } from '../../../kernel/schema.ts';
import {
  Amount,
  checkOf,
  Money,
  moneyOf,
  NullableDay,
  payoutReconciliation,
  ReconciliationSchema,
  reconciliationJson,
} from '../../reconciliation/index.ts';
import { hasMoved, PAYOUT_STATUSES } from '../../settlements/index.ts';
import type { PayoutRow } from '../store/payouts.ts';
import { CompositionSchema, compositionOf } from './composition.ts';

const NullableText = Nullable(Type.String());

export const PayoutSchema = Type.Object(
  {
    payout_id: Type.String(),
    settlement_id: Type.String({ description: 'Always the whole payout amount of one settlement' }),
    attempt: Type.Integer({ description: 'From 1 within the settlement' }),
    retry_of: Nullable(Type.String({ description: 'The attempt before' })),
    amount_minor: Amount('What reaches the bank'),
    ...Money,
    status: StringEnum(PAYOUT_STATUSES, {
      title: 'PayoutStatus',
      description: '`paid` is not the end: a bank may send money back days later',
    }),
    method: StringEnum(['bank_account'], { description: 'How it is paid' }),
    destination: Nullable(
      Type.Object(
        { bank_name: NullableText, last4: NullableText },
        { description: 'The account to which it goes; null when not known' },
      ),
    ),
    created_at: Instant(),
    sent_at: Nullable(Instant({ description: 'When it was sent to the provider' })),
    expected_arrival_on: NullableDay('Null when it is not known'),
    paid_at: Nullable(Instant({ description: 'When it arrived' })),
    returned_at: Nullable(Instant({ description: 'When the bank sent it back' })),
    failure_code: NullableText,
    failure_message: Nullable(Type.String({ description: 'Why it failed, for people' })),
    payment_reference: Nullable(Type.String({ description: 'Reference on the seller’s bank statement' })),
    bank_reference: Nullable(Type.String({ description: 'The bank’s own trace of it' })),
    bank_reference_status: StringEnum(['pending', 'supported', 'unsupported'], {
      description: 'A trace may come up to ten days after the payment; after that there is none',
    }),
    provider: Type.String({ description: '`manual`: the marketplace pays and reports each payout' }),
    provider_payout_id: Nullable(Type.String({ description: 'The provider’s id of the payout' })),
    provider_transfer_id: Nullable(Type.String({ description: 'The provider’s id of the transfer' })),
    composition: CompositionSchema,
    reconciliation: ReconciliationSchema,
    status_history: described(
      'All changes of the status, oldest first',
      Type.Array(
        Type.Object({
          status: Type.String({ description: 'The new state' }),
          at: Instant({ description: 'When it changed' }),
          actor: Type.String({ description: 'Who changed it' }),
          reason: Nullable(Type.String({ description: 'Why it changed' })),
          source_event_id: Nullable(
            Type.String({ description: 'Id of the provider’s event that reported it' }),
          ),
        }),
      ),
    ),
  },
  { title: 'Payout', description: 'One attempt to pay a settlement.' },
);
export type PayoutWire = Static<typeof PayoutSchema>;

/** The longest time that a bank needs to state its trace. */
const TRACE_MS = 10 * 86_400_000;

/** @param now milliseconds of the service's clock */
export function payoutToWire({ version: _, checked, settled, ...row }: PayoutRow, now: number): PayoutWire {
  const { paid_at, bank_reference_status: known } = row;
  const isOver = paid_at !== null && now > Date.parse(paid_at) + TRACE_MS;
  return {
    ...row,
    amount_minor: minorToJson(minor(row.amount_minor)),
    ...moneyOf(row.currency),
    method: 'bank_account',
    bank_reference_status: known === 'pending' && isOver ? 'unsupported' : known,
    composition: compositionOf(settled),
    reconciliation: reconciliationJson(
      payoutReconciliation('payout', hasMoved(row.status), checkOf(checked), now),
    ),
    status_history: row.status_history.map((change) => ({ ...change })),
  };
}
