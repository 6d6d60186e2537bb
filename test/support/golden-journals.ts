/** The golden example of the design as journals, for tests of what comes after the posting. Amounts in cents. */
import { minor } from '../../src/kernel/money.ts';
import { type PostingCtx, postJournals } from '../../src/modules/ledger/actions/post-journals.ts';
import {
  type NewJournal,
  type StatementLine,
  statementLegs,
} from '../../src/modules/ledger/domain/journal.ts';

/** Gross, platform fee and loyalty of one line. */
type Line = readonly [gross: number, platform: number, loyalty: number];
interface Sold {
  readonly lines: readonly Line[];
  readonly at: string;
  readonly processing: number;
}

const ORDERS: Readonly<Record<string, Sold>> = {
  ord_1001: {
    lines: [
      [5995, 600, 0],
      [995, 100, 0],
    ],
    at: '2026-06-30T13:59:59Z',
    processing: 152,
  },
  ord_1002: {
    lines: [
      [7330, 733, 147],
      [14567, 1821, 291],
    ],
    at: '2026-06-30T14:30:00Z',
    processing: 413,
  },
  ord_1003: {
    lines: [
      [2933, 293, 0],
      [400, 40, 0],
    ],
    at: '2026-07-03T02:00:00Z',
    processing: 68,
  },
  ord_1004: {
    lines: [
      [5985, 599, 0],
      [850, 85, 0],
    ],
    at: '2026-07-04T03:00:00Z',
    processing: 150,
  },
  ord_1005: {
    lines: [
      [49900, 6238, 998],
      [1500, 150, 0],
    ],
    at: '2026-07-05T01:00:00Z',
    processing: 930,
  },
  ord_1006: {
    lines: [
      [12900, 1290, 0],
      [1200, 120, 0],
    ],
    at: '2026-07-06T05:00:00Z',
    processing: 277,
  },
  ord_1007: { lines: [[8990, 899, 0]], at: '2026-07-07T06:00:00Z', processing: 187 },
  ord_1008: {
    lines: [
      [3885, 389, 78],
      [660, 66, 0],
    ],
    at: '2026-07-14T04:00:00Z',
    processing: 110,
  },
  ord_1009: {
    lines: [
      [21540, 2693, 0],
      [1000, 100, 0],
    ],
    at: '2026-07-21T02:00:00Z',
    processing: 424,
  },
  ord_1010: {
    lines: [
      [75996, 7600, 1520],
      [2000, 200, 0],
    ],
    at: '2026-07-27T23:30:00Z',
    processing: 1395,
  },
};

type Given = readonly [type: StatementLine['type'], amount: number, line?: number];
interface Later {
  readonly order: string;
  readonly id: string;
  readonly at: string;
  /** The entries of the order are available from this day on. */
  readonly not_before: string;
  readonly lines: readonly Given[];
}

const LATER: readonly Later[] = [
  {
    order: 'ord_1004',
    id: 'rf_1',
    at: '2026-07-08T01:00:00Z',
    not_before: '2026-07-11',
    lines: [
      ['refund', -1995, 1],
      ['platform_fee_credit', 200, 1],
    ],
  },
  {
    order: 'ord_1005',
    id: 'rf_2',
    at: '2026-07-18T01:00:00Z',
    not_before: '2026-07-12',
    lines: [
      ['refund', -49900, 1],
      ['refund', -1500, 2],
      ['platform_fee_credit', 6238, 1],
      ['platform_fee_credit', 150, 2],
      ['loyalty_program_fund_credit', 998, 1],
    ],
  },
  {
    order: 'ord_1004',
    id: 'rf_3',
    at: '2026-07-20T01:00:00Z',
    not_before: '2026-07-11',
    lines: [
      ['refund', -1995, 1],
      ['platform_fee_credit', 199, 1],
    ],
  },
  {
    order: 'ord_1006',
    id: 'dp_1',
    at: '2026-07-22T01:00:00Z',
    not_before: '2026-07-13',
    lines: [
      ['chargeback', -12900, 1],
      ['chargeback', -1200, 2],
      ['dispute_fee', -2500],
    ],
  },
  {
    order: 'ord_1007',
    id: 'dp_2',
    at: '2026-07-24T01:00:00Z',
    not_before: '2026-07-14',
    lines: [
      ['chargeback', -8990, 1],
      ['dispute_fee', -2500],
    ],
  },
  {
    order: 'ord_1009',
    id: 'adj_1',
    at: '2026-08-04T01:00:00Z',
    not_before: '2026-07-28',
    lines: [['manual_adjustment', 1200]],
  },
  {
    order: 'ord_1006',
    id: 'dp_1',
    at: '2026-08-05T01:00:00Z',
    not_before: '2026-07-13',
    lines: [
      ['platform_fee_credit', 1290, 1],
      ['platform_fee_credit', 120, 2],
    ],
  },
  {
    order: 'ord_1003',
    id: 'adj_2',
    at: '2026-08-06T01:00:00Z',
    not_before: '2026-07-10',
    lines: [['settlement_correction', 55]],
  },
  {
    order: 'ord_1007',
    id: 'dp_2',
    at: '2026-08-10T01:00:00Z',
    not_before: '2026-07-14',
    lines: [
      ['chargeback_reversal', 8990, 1],
      ['dispute_fee_credit', 2500],
    ],
  },
];

const HOLD_DAYS = 7;
const legs = (type: StatementLine['type'], amount: number, more: Partial<StatementLine> = {}) =>
  statementLegs(
    minor(amount),
    { description: type, ...more, type },
    type === 'manual_adjustment' ? 'manual_adjustments' : undefined,
  );

function sold(order_id: string, { lines, at, processing }: Sold): NewJournal {
  const id = (index: number) => ({ order_line_id: `${order_id}_${index + 1}` });
  return {
    kind: 'order_delivered',
    key: `delivered:${order_id}`,
    currency: 'AUD',
    occurred_at: at,
    actor: 'test',
    order_id,
    hold_days: HOLD_DAYS,
    legs: [
      ...lines.flatMap(([gross], index) => legs('sale', gross, id(index))),
      ...lines.flatMap(([, platform], index) => legs('platform_fee', -platform, id(index))),
      ...lines.flatMap(([, , loyalty], index) => legs('loyalty_program_fund', -loyalty, id(index))),
      ...legs('seller_order_fee', -30),
      ...legs('payment_processing', -processing),
    ],
  };
}

/** The capture of an order, so that the escrow covers its deliveries. */
function captured(order_id: string, { lines }: Sold): NewJournal {
  const gross = minor(lines.reduce((sum, [amount]) => sum + amount, 0));
  return {
    kind: 'order_captured',
    key: `captured:${order_id}`,
    currency: 'AUD',
    occurred_at: '2026-06-28T01:00:00Z',
    actor: 'test',
    order_id,
    legs: [
      { account: 'provider_clearing', amount: gross },
      { account: 'order_escrow', amount: minor(-gross) },
    ],
  };
}

const later = ({ order, id, at, not_before, lines }: Later): NewJournal => ({
  kind: 'adjustment_recorded',
  key: `${id}:${at}`,
  currency: 'AUD',
  occurred_at: at,
  actor: 'test',
  order_id: order,
  not_before,
  legs: lines.flatMap(([type, amount, line]) =>
    legs(type, amount, {
      related_id: id,
      ...(line === undefined ? {} : { order_line_id: `${order}_${line}` }),
    }),
  ),
});

/** All journals of the example, each with the instant at which it is posted. */
export const GOLDEN: readonly { readonly at: string; readonly journals: readonly NewJournal[] }[] = [
  ...Object.entries(ORDERS).map(([order, facts]) => ({
    at: facts.at,
    journals: [captured(order, facts), sold(order, facts)],
  })),
  ...LATER.map((facts) => ({ at: facts.at, journals: [later(facts)] })),
].sort((a, b) => (a.at < b.at ? -1 : 1));

export const postGolden = (ctx: PostingCtx, journals: readonly NewJournal[]) => postJournals(ctx, journals);
