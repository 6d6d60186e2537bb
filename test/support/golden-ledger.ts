/** The golden example as journals: the whole ledger at its end. */

import { createIds } from '../../src/kernel/ids.ts';
import { type Minor, minor } from '../../src/kernel/money.ts';
import { postJournals } from '../../src/modules/ledger/actions/post-journals.ts';
import type { EntryType } from '../../src/modules/ledger/domain/entry-types.ts';
import { type Leg, move, type NewJournal, statementLegs } from '../../src/modules/ledger/domain/journal.ts';
import type { TestApp } from './app.ts';
import { posting } from './posting.ts';

/** Amounts in cents of each line: gross, platform fee, loyalty. */
type Lines = readonly (readonly [gross: number, fee: number, loyalty: number])[];
type Delivery = readonly [order: string, delivered_at: string, processing: number, lines: Lines];

const DELIVERIES: readonly Delivery[] = [
  [
    'ord_1001',
    '2026-06-30T13:59:59Z',
    152,
    [
      [5995, 600, 0],
      [995, 100, 0],
    ],
  ],
  [
    'ord_1002',
    '2026-06-30T14:30:00Z',
    413,
    [
      [7330, 733, 147],
      [14567, 1821, 291],
    ],
  ],
  [
    'ord_1003',
    '2026-07-03T02:00:00Z',
    68,
    [
      [2933, 293, 0],
      [400, 40, 0],
    ],
  ],
  [
    'ord_1004',
    '2026-07-04T03:00:00Z',
    150,
    [
      [5985, 599, 0],
      [850, 85, 0],
    ],
  ],
  [
    'ord_1005',
    '2026-07-05T01:00:00Z',
    930,
    [
      [49900, 6238, 998],
      [1500, 150, 0],
    ],
  ],
  [
    'ord_1006',
    '2026-07-06T05:00:00Z',
    277,
    [
      [12900, 1290, 0],
      [1200, 120, 0],
    ],
  ],
  ['ord_1007', '2026-07-07T06:00:00Z', 187, [[8990, 899, 0]]],
  [
    'ord_1008',
    '2026-07-14T04:00:00Z',
    110,
    [
      [3885, 389, 78],
      [660, 66, 0],
    ],
  ],
  [
    'ord_1009',
    '2026-07-21T02:00:00Z',
    424,
    [
      [21540, 2693, 0],
      [1000, 100, 0],
    ],
  ],
  [
    'ord_1010',
    '2026-07-27T23:30:00Z',
    1395,
    [
      [75996, 7600, 1520],
      [2000, 200, 0],
    ],
  ],
];
/** The first day on which an order's entries may be settled. */
const AVAILABLE: Readonly<Record<string, string>> = {
  ord_1003: '2026-07-10',
  ord_1004: '2026-07-11',
  ord_1005: '2026-07-12',
  ord_1006: '2026-07-13',
  ord_1007: '2026-07-14',
  ord_1009: '2026-07-28',
};

const line = (type: EntryType, amount: number, more: object = {}): Leg[] =>
  statementLegs(minor(amount), { type, description: type, ...more });

function delivery([order, at, processing, lines]: Delivery): NewJournal {
  const of = (index: number) => ({ order_line_id: `oli_${order.slice(4)}_${index + 1}` });
  return {
    kind: 'order_delivered',
    key: `${order}:delivered`,
    currency: 'AUD',
    occurred_at: at,
    actor: 'test',
    order_id: order,
    hold_days: 7,
    legs: [
      ...lines.flatMap(([gross], index) => line('sale', gross, of(index))),
      ...lines.flatMap(([, fee], index) => line('platform_fee', -fee, { ...of(index), rate_bps: 1_000 })),
      ...lines.flatMap(([, , loyalty], index) => line('loyalty_program_fund', -loyalty, of(index))),
      ...line('seller_order_fee', -30),
      ...line('payment_processing', -processing),
    ],
  };
}

type Kind = NewJournal['kind'];
type Change = readonly [type: EntryType, amount: number];

/** Statement lines that belong to an order. */
function after(kind: Kind, at: string, order: string, id: string, ...changes: Change[]): NewJournal {
  const reference = kind.startsWith('refund')
    ? { refund_id: id }
    : kind.startsWith('chargeback')
      ? { dispute_id: id }
      : {};
  const counter = kind === 'adjustment_recorded' ? ('manual_adjustments' as const) : undefined;
  return {
    kind,
    key: `${id}:${kind}`,
    currency: 'AUD',
    occurred_at: at,
    actor: 'test',
    order_id: order,
    not_before: AVAILABLE[order] ?? null,
    ...reference,
    legs: changes.flatMap(([type, amount]) =>
      statementLegs(minor(amount), { type, description: type, related_id: id }, counter),
    ),
  };
}

function transfer(
  kind: Kind,
  at: string,
  key: string,
  debit: Leg['account'],
  credit: Leg['account'],
  amount: Minor,
): NewJournal {
  return { kind, key, currency: 'AUD', occurred_at: at, actor: 'test', legs: move(debit, credit, amount) };
}
const PAID_A = minor(94_959);
const PAID_C = minor(30_671);

/** The journals of the example by time; noon in Sydney where the example gives no time. */
export const GOLDEN_JOURNALS: readonly NewJournal[] = [
  ...DELIVERIES.map(delivery),
  after(
    'refund_created',
    '2026-07-08T02:00:00Z',
    'ord_1004',
    'rf_1',
    ['refund', -1995],
    ['platform_fee_credit', 200],
  ),
  transfer('settlement_closed', '2026-07-15T13:59:59.999Z', 'A', 'seller_payable', 'seller_settled', PAID_A),
  transfer('payout_sent', '2026-07-16T02:00:00Z', 'po_1:sent', 'seller_settled', 'seller_in_transit', PAID_A),
  transfer(
    'payout_failed',
    '2026-07-17T02:00:00Z',
    'po_1:failed',
    'seller_in_transit',
    'seller_settled',
    PAID_A,
  ),
  after(
    'refund_created',
    '2026-07-18T02:00:00Z',
    'ord_1005',
    'rf_2',
    ['refund', -49900],
    ['refund', -1500],
    ['platform_fee_credit', 6238],
    ['platform_fee_credit', 150],
    ['loyalty_program_fund_credit', 998],
  ),
  after(
    'refund_created',
    '2026-07-20T02:00:00Z',
    'ord_1004',
    'rf_3',
    ['refund', -1995],
    ['platform_fee_credit', 199],
  ),
  transfer('payout_sent', '2026-07-20T03:00:00Z', 'po_2:sent', 'seller_settled', 'seller_in_transit', PAID_A),
  transfer(
    'payout_paid',
    '2026-07-21T03:00:00Z',
    'po_2:paid',
    'seller_in_transit',
    'provider_clearing',
    PAID_A,
  ),
  after(
    'chargeback_opened',
    '2026-07-22T02:00:00Z',
    'ord_1006',
    'dp_1',
    ['chargeback', -12900],
    ['chargeback', -1200],
    ['dispute_fee', -2500],
  ),
  after(
    'chargeback_opened',
    '2026-07-24T02:00:00Z',
    'ord_1007',
    'dp_2',
    ['chargeback', -8990],
    ['dispute_fee', -2500],
  ),
  after('adjustment_recorded', '2026-08-04T02:00:00Z', 'ord_1009', 'adj_1', ['manual_adjustment', 1200]),
  after(
    'chargeback_lost',
    '2026-08-05T02:00:00Z',
    'ord_1006',
    'dp_1',
    ['platform_fee_credit', 1290],
    ['platform_fee_credit', 120],
  ),
  after('adjustment_recorded', '2026-08-06T02:00:00Z', 'ord_1003', 'adj_2', ['settlement_correction', 55]),
  after(
    'chargeback_won',
    '2026-08-10T02:00:00Z',
    'ord_1007',
    'dp_2',
    ['chargeback_reversal', 8990],
    ['dispute_fee_credit', 2500],
  ),
  transfer('settlement_closed', '2026-08-15T13:59:59.999Z', 'C', 'seller_payable', 'seller_settled', PAID_C),
  transfer('payout_sent', '2026-08-17T02:00:00Z', 'po_3:sent', 'seller_settled', 'seller_in_transit', PAID_C),
  transfer(
    'payout_paid',
    '2026-08-19T02:00:00Z',
    'po_3:paid',
    'seller_in_transit',
    'provider_clearing',
    PAID_C,
  ),
];

/** Posts journals for a seller, each at the instant at which it happened unless said otherwise. */
export async function postFor(
  app: TestApp,
  sellerId: string,
  journals: readonly NewJournal[],
  recordedAt?: string,
): Promise<void> {
  const ids = createIds(() => Date.parse('2026-07-01T00:00:00Z'));
  for (const journal of journals) {
    const now = () => Date.parse(recordedAt ?? journal.occurred_at);
    await app.app.services.withSeller(sellerId, 'write', (db) =>
      postJournals(posting(db, sellerId, ids, now), [journal]),
    );
  }
}
