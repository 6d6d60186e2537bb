import Type from 'typebox';
import { readWindow } from '../../../kernel/australia/day-window.ts';
import { addDays, type Period } from '../../../kernel/australia/settlement-period.ts';
import { sydneyDate } from '../../../kernel/australia/sydney.ts';
import { frameFields, liveFrame, type MissingComponent } from '../../../kernel/frame.ts';
import { type Minor, minor, minorToJson, rateOf, sumMinor } from '../../../kernel/money.ts';
import { described, Nullable } from '../../../kernel/schema.ts';
import { orderSums } from '../../account/index.ts';
import { type AccountScope, Amount, accountRoute, Day, Money, moneyOf } from '../../reconciliation/index.ts';
import { ordersWithCosts } from '../actions/read-costs.ts';
import { OUTSIDE, shareOverLines } from '../domain/components.ts';
import { costParts, coverageOf, lacksFreight, type Status, statusOf } from '../domain/costs.ts';
import { component } from '../schemas/unit-cost.ts';
import { otherCurrencies } from '../store/order-costs.ts';

const CONTRACT = 'profitability.coverage.v1';
const TIMEOUT_MS = 120_000;
const NAMED_MAX = 50;

const Coverage = Type.Object(
  {
    ...frameFields,
    ...Money,
    window: Type.Object(
      { from: Day('First day'), to: Day('Last day, included') },
      { description: 'The days that the figures cover' },
    ),
    gross_minor: Amount('Delivered sales'),
    covered_gross_minor: Amount('Those of which all costs of goods and freight are known'),
    covered_bps: Nullable(Type.Integer({ description: 'Their share; null without sales' })),
    uncovered: Type.Array(
      Type.Object(
        {
          seller_sku: Nullable(Type.String({ description: 'Null: shipping' })),
          gross_minor: Amount('Its sales that are not covered'),
          reason: described('The cost that is missing; that of the goods if both are', component),
        },
        { title: 'UncoveredSku', description: 'Sales of a SKU without all costs.' },
      ),
      { description: `The ${NAMED_MAX} SKUs with the most sales that are not covered` },
    ),
  },
  { title: 'CostCoverageOfSales', description: 'How much of the sales has known costs.' },
);

const UNKNOWN: ReadonlySet<Status> = new Set(['missing', 'partial']);

interface Uncovered {
  readonly gross: Minor;
  readonly reason: (typeof OUTSIDE)[number];
}

/** Adds the sales of all orders of the window, by whether their costs are known. */
async function coverageOfSales(of: AccountScope, days: Period) {
  const gross: Minor[] = [];
  const covered: Minor[] = [];
  const uncovered = new Map<string | null, Uncovered>();
  const lacks = new Set<MissingComponent>();
  for await (const { parts, costs } of ordersWithCosts(of, orderSums(of, days, { bucket: 'gross' })))
    for (const { order_line_id, sku, amounts } of shareOverLines([...parts, ...costParts(costs)])) {
      const known = coverageOf(costs, order_line_id);
      gross.push(amounts.gross);
      if (lacksFreight(known)) lacks.add('inbound_freight');
      const [lacked, ...others] = OUTSIDE.filter((cost) => UNKNOWN.has(statusOf(known[cost])));
      if (lacked === undefined) {
        covered.push(amounts.gross);
        continue;
      }
      for (const cost of [lacked, ...others]) lacks.add(cost);
      const before = uncovered.get(sku);
      uncovered.set(sku, {
        gross: sumMinor([before?.gross ?? minor(0), amounts.gross]),
        reason: before?.reason === 'supplier_cost' ? before.reason : lacked,
      });
    }
  return { gross: sumMinor(gross), covered: sumMinor(covered), uncovered, lacks };
}

const figures = (
  days: Period,
  { gross, covered, uncovered }: Omit<Awaited<ReturnType<typeof coverageOfSales>>, 'lacks'>,
) => ({
  window: { from: days.start, to: days.end },
  gross_minor: minorToJson(gross),
  covered_gross_minor: minorToJson(covered),
  covered_bps: rateOf(covered, gross),
  uncovered: [...uncovered]
    .sort(([, a], [, b]) => Number(b.gross - a.gross))
    .slice(0, NAMED_MAX)
    .map(([seller_sku, { gross: sales, reason }]) => ({
      seller_sku,
      gross_minor: minorToJson(sales),
      reason,
    })),
});

export const coverageRoutes = [
  accountRoute({
    id: 'profitability.coverage.get',
    path: '/coverage',
    summary: 'Read how much of the sales has known costs',
    description:
      'Covers the orders whose first line counts within the window; the window defaults to the last thirty days.',
    timeoutMs: TIMEOUT_MS,
    query: {
      from: Type.Optional(Day('First day')),
      to: Type.Optional(Day('Last day, included')),
    },
    answer: 'The coverage',
    schema: Coverage,
    example: {
      ...liveFrame('2026-07-30T01:00:00.000Z', CONTRACT, {
        facts_through_on: '2026-07-29',
        missing: ['supplier_cost'],
      }),
      ...moneyOf('AUD'),
      ...figures(
        { start: '2026-07-01', end: '2026-07-30' },
        {
          gross: minor(8_484),
          covered: minor(5_985),
          uncovered: new Map([['TIN-L', { gross: minor(2_499), reason: 'supplier_cost' as const }]]),
        },
      ),
    },
    read: async (of, { from, to }, ctx) => {
      const today = sydneyDate(of.now);
      const days = readWindow(from, to, today);
      const sales = await coverageOfSales(of, days);
      const frame = liveFrame(ctx.at(), CONTRACT, {
        facts_through_on: days.end < today ? days.end : addDays(today, -1),
        missing: [...sales.lacks, ...(await otherCurrencies(of, days))],
      });
      return { ...frame, ...moneyOf(of.currency), ...figures(days, sales) };
    },
  }),
];
