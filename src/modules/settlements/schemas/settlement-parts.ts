/** Lines, totals and proofs of settlements on the wire. */

import Type from 'typebox';
import { minor, minorToJson } from '../../../kernel/money.ts';
import { described, Nullable, Page, StringEnum } from '../../../kernel/schema.ts';
import { BUCKETS, COMPONENTS, ENTRY_TYPES, type EntryType } from '../../ledger/index.ts';
import { Amount, Day, listMetadata, Money, metadata, NullableAmount } from '../../reconciliation/index.ts';
import { PROOF_LEVELS, PROOF_PROBLEMS } from '../domain/proof.ts';
import type { LineRow } from '../store/lines.ts';
import { SettlementSchema } from './settlement.ts';

const NullableText = Nullable(Type.String());
const ENTRY_TYPE_NAMES = Object.keys(ENTRY_TYPES) as EntryType[];

const EntryTypeName = StringEnum(ENTRY_TYPE_NAMES, {
  title: 'LedgerEntryType',
  description: 'What an entry of the ledger is for',
});
const Bucket = StringEnum(BUCKETS, {
  title: 'LedgerBucket',
  description: 'The sum of a settlement in which an entry counts',
});

const LineSchema = Type.Object(
  {
    row_no: Type.Integer({ description: 'Place in the statement, from 1' }),
    transaction_id: Type.String(),
    type: EntryTypeName,
    component: Nullable(
      StringEnum(COMPONENTS, { title: 'FeeComponent', description: 'Part of the fees and adjustments' }),
    ),
    bucket: Bucket,
    amount_minor: Amount('Signed from the seller’s side: fees are below zero'),
    running_balance_minor: Amount('Opening balance and every line up to this one'),
    order_id: NullableText,
    order_number: NullableText,
    order_line_id: NullableText,
    order_line_no: Nullable(Type.Integer({ description: 'Place of the order line, from 1' })),
    sku: NullableText,
    quantity: Nullable(Type.Integer({ description: 'Units that it is for; null where there are none' })),
    rate_bps: Nullable(Type.Integer({ description: 'Rate of the fee, hundredths of a per cent' })),
    related_id: Nullable(
      Type.String({ description: 'Refund, dispute, adjustment or reserve, as the marketplace named it' }),
    ),
    posted_on: Day('The Sydney day that it counts for'),
    available_on: Day('The Sydney day from which it may be settled'),
    late: Type.Boolean({ description: 'Whether its own day was closed already when it became known' }),
    description: Type.String({ description: 'What it is, in words' }),
    invoice_id: Nullable(
      Type.String({ description: 'For a fee in a closed settlement: the document that lists it' }),
    ),
  },
  { title: 'SettlementLine', description: 'One line of a settlement.' },
);
/** From how many ledger entries the answer was computed, and when. */
const { generated_at, source } = listMetadata;

export const LINES_CONTRACT = 'financials.settlement_entries.v1';
export const LinePage = Page(LineSchema, {
  ...Money,
  generated_at,
  source,
  settlement_id: Type.String(),
  opening_balance_minor: Amount('Carried in from the period before; the running balance begins with it'),
});

const json = (amount: bigint): number => minorToJson(minor(amount));

export function lineToWire({ position: _, component, bucket, type, ...line }: LineRow) {
  return {
    ...line,
    type: type as EntryType,
    component: component as (typeof COMPONENTS)[number] | null,
    bucket: bucket as (typeof BUCKETS)[number],
    amount_minor: json(line.amount_minor),
    running_balance_minor: json(line.running_balance_minor),
  };
}

const Sums = {
  settlement_count: Type.Integer({ description: 'Number of settlements' }),
  gross_amount_minor: Amount('Sales'),
  fees_minor: Amount('Above zero: kept by the marketplace'),
  adjustments_minor: Amount('Refunds, chargebacks, corrections; signed from the seller’s side'),
  net_amount_minor: Amount('gross − fees + adjustments'),
  payout_amount_minor: Amount(
    'Amount that is paid; for the open settlement, the amount that it would pay now',
  ),
};
export const SummarySchema = Type.Object(
  {
    by_status: Type.Array(
      Type.Object(
        { status: SettlementSchema.properties.status, ...Sums },
        { title: 'SettlementStatusTotals', description: 'Sums of the settlements in one state.' },
      ),
      { description: 'Every status, with zeros where there is none' },
    ),
    totals: Type.Object(Sums, { description: 'Sums of all settlements' }),
    ...metadata,
  },
  { title: 'SettlementSummary', description: 'Sums of the settlements of a window.' },
);

const SIGNED = 'Signed from the seller’s side: fees are below zero';
const Compared = {
  expected_minor: Amount('What it should be'),
  actual_minor: Amount('What it is'),
};
const ProofEntry = Type.Object({
  transaction_id: Type.String(),
  journal_id: Type.String({ description: 'Id of the journal in the ledger' }),
  row_no: Type.Integer({ description: 'Place in the statement, from 1' }),
  type: EntryTypeName,
  amount_minor: Amount(SIGNED),
});
const ProofOrder = Type.Object(
  {
    order_id: Nullable(Type.String({ description: 'Null for lines without an order' })),
    order_number: NullableText,
    amount_minor: Amount(SIGNED),
    line_count: Type.Integer({ description: 'Number of lines' }),
    lines: described(
      'The order’s lines in the settlement',
      Type.Array(
        Type.Object({
          order_line_id: Nullable(Type.String({ description: 'Null for entries about the whole order' })),
          amount_minor: Amount(SIGNED),
          entries: Type.Array(ProofEntry, { description: 'The entries that sum to it' }),
        }),
      ),
    ),
  },
  { title: 'ProofOrder', description: 'The share of one order in a settlement.' },
);
const ProofFailure = Type.Object(
  {
    level: StringEnum(PROOF_LEVELS, {
      description:
        'From the smallest part to the largest: one entry, a journal that does not balance, the sum of a type, the order of the lines, a figure, a payout',
    }),
    id: Type.String({
      description: 'Name of that part: a transaction, a journal, a type, a check or a payout',
    }),
    problem: StringEnum(PROOF_PROBLEMS, {
      description:
        '`changed` since it was settled, `added` or `missing` since, `unbalanced` in itself, or it `differs` from what it is made of',
    }),
    order_id: NullableText,
    row_no: Nullable(Type.Integer({ description: 'Place in the statement, from 1' })),
    failing_count: Type.Integer({ description: 'Parts of this level that do not add up' }),
    expected_minor: NullableAmount('What it should be; null if unknown'),
    actual_minor: NullableAmount('What it is; null if unknown'),
  },
  { title: 'ProofFailure', description: 'The smallest part that does not add up' },
);
export const PROOF_CONTRACT = 'financials.settlement_proof.v1';
export const ProofSchema = Page(
  ProofOrder,
  {
    settlement_id: Type.String(),
    status: StringEnum(['balanced', 'unbalanced'], { description: 'Whether everything adds up' }),
    ...Money,
    generated_at,
    source,
    payouts: described(
      'The attempts to pay the settlement',
      Type.Array(
        Type.Object({
          payout_id: Type.String(),
          attempt: Type.Integer({ description: 'Number of the attempt, from 1' }),
          status: Type.String({ description: 'State of the payout' }),
          amount_minor: Amount('What was sent to the bank, above zero'),
        }),
      ),
    ),
    checks: Type.Array(
      Type.Object({
        name: Type.String({ description: 'What is checked' }),
        subject_id: Nullable(
          Type.String({ description: 'The payout that is checked; null: the settlement' }),
        ),
        ...Compared,
        difference_minor: Amount('Actual less expected'),
      }),
      { description: 'Each figure of the close, compared with the sum of its lines now' },
    ),
    types: described(
      'The lines by type and bucket',
      Type.Array(
        Type.Object({
          type: EntryTypeName,
          bucket: Bucket,
          line_count: Type.Integer({ description: 'Number of lines' }),
          amount_minor: Amount(SIGNED),
          recorded_amount_minor: Type.Integer({ description: 'Amount at the close' }),
        }),
      ),
    ),
    lines: described(
      'All lines and the hash over them',
      Type.Object({
        line_count: Type.Integer({ description: 'Number of lines' }),
        sha256: Type.String({ description: 'Hash of the lines as they are now' }),
        recorded_sha256: Type.String({ description: 'Hash of the lines as they were closed' }),
        algorithm: Type.String({ description: 'How the hash is made' }),
      }),
    ),
    failing: Nullable(ProofFailure),
  },
  'SettlementProof',
);

export const HASH_ALGORITHM =
  'SHA-256, hexadecimal, of the lines in the order of row_no, joined by line feeds, each as "{transaction_id} {type} {amount_minor} {order_id} {order_line_id}", a hyphen for an id that is null';
