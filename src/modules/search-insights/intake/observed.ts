/** `marketplace.search.observed`: how the seller's products did in searches of a week. */
import Type from 'typebox';
import { mondayOf, sundayOf, WEEK_PATTERN } from '../../../kernel/australia/iso-week.ts';
import { sydneyDate } from '../../../kernel/australia/sydney.ts';
import { isOlder, orderOf } from '../../../kernel/event-order.ts';
import { defineMarketplaceEvent, IntakeRejection } from '../../../kernel/events.ts';
import { allows, NOT_BLANK, Nullable } from '../../../kernel/schema.ts';
import { actingForSubject } from '../../../platform/acting-for-seller.ts';
import { firstVersion, writeVersion } from '../../../platform/db/table.ts';
import { reportOf } from '../domain/report.ts';
import { searchEvents } from '../events.ts';
import { QUERY_CHARS_MAX, toReport } from '../schemas.ts';
import { foreignProducts, type ReportRow, replaceRows, reports } from '../store.ts';

const ROWS_MAX = 2_000;
/** Sums of rows, times the basis points, stay whole numbers. */
const COUNT_MAX = 100_000_000;
const Count = Type.Integer({ minimum: 0, maximum: COUNT_MAX });

const Observed = Type.Object({
  period: Type.String({ ...allows(WEEK_PATTERN, 'Use an ISO week such as 2026-W30.') }),
  rows: Type.Array(
    Type.Object({
      query: Type.String({ maxLength: QUERY_CHARS_MAX, ...NOT_BLANK }),
      product_id: Type.String({ minLength: 1, maxLength: 100 }),
      impressions: Count,
      clicks: Count,
      purchases: Count,
      searchers: Type.Optional(Nullable(Count)),
      market_impressions: Type.Optional(Nullable(Count)),
    }),
    { description: `At most ${ROWS_MAX}` },
  ),
});

export const searchObserved = defineMarketplaceEvent({
  type: 'marketplace.search.observed',
  summary: 'How products of a seller did in the searches of a week; the newest report replaces the week',
  subject: 'seller id',
  schema: Observed,
  example: {
    period: '2026-W30',
    rows: [
      {
        ...{ query: 'blue mug', product_id: 'prd_01j0000000000000000000000' },
        ...{ impressions: 120, clicks: 9, purchases: 1, searchers: 96, market_impressions: 4_300 },
      },
    ],
  },
  apply: async (intake, event) => {
    const { period, rows: observed } = event.data;
    const ctx = await actingForSubject(intake, event);
    if (mondayOf(period) === undefined)
      throw new IntakeRejection('data_invalid', `data/period: the year has no week ${period}`);
    if (sundayOf(period) >= sydneyDate(ctx.now()))
      throw new IntakeRejection(
        'data_invalid',
        `data/period: ${period} has not ended; send it after its Sunday`,
      );
    if (observed.length > ROWS_MAX)
      throw new IntakeRejection('report_too_large', `A report has at most ${ROWS_MAX} rows.`);
    const [foreign] = await foreignProducts(ctx, [...new Set(observed.map(({ product_id }) => product_id))]);
    if (foreign !== undefined)
      throw new IntakeRejection('product_not_found', `The seller has no product ${foreign}.`);
    const before = await reports.find(ctx, { period }, 'for update');
    const order = orderOf(event);
    if (before !== undefined && isOlder(order, { at: before.told_at, version: before.told_version }))
      return { status: 'stale' };
    const { rows, other, withheld_rows } = reportOf(observed);
    const change = {
      ends_on: sundayOf(period),
      status: rows.length > 0 ? ('available' as const) : ('below_threshold' as const),
      row_count: rows.length,
      ...{ withheld_rows, other },
      has_market: rows.every(({ market_impressions }) => market_impressions !== null),
      told_at: order.at,
      told_version: order.version,
    };
    const first: ReportRow = { period, ...change, ...firstVersion(ctx.at()) };
    if (before === undefined && !(await reports.insert(ctx, first)))
      throw new IntakeRejection('conflict', 'Another event has brought the report; send it again.');
    const after = before === undefined ? first : await writeVersion(reports, ctx, before, change);
    await replaceRows(ctx, period, rows);
    if (after.status === 'available' && before?.status !== 'available')
      await ctx.emit(
        searchEvents.available.of(toReport(period, after.status, after), { version: after.version }),
      );
    return { status: 'applied' };
  },
});
