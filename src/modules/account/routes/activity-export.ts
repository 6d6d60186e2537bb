import Type from 'typebox';
import { sydneyDate } from '../../../kernel/australia/sydney.ts';
import { StringEnum } from '../../../kernel/schema.ts';
import { bom, currency, openCsv, ROW_COUNT } from '../../../platform/rest/csv-file.ts';
import { fileRoute } from '../../../platform/rest/file-route.ts';
import { access } from '../../reconciliation/index.ts';
import { ACTIVITY_CSV_EXAMPLE, activityFile } from '../actions/export-activity.ts';
import { quarterQuery, readQuarter } from './activity.ts';

const activity = fileRoute({
  id: 'financials.activity.export',
  path: '/marketplace-activity/export/csv',
  summary: 'Export the marketplace activity of an Australian financial quarter as CSV',
  description:
    'One row for each calendar month that has begun, or for each order and day; both sum to the record of the quarter. Refunds are not subtracted from sales. The file is not a tax statement.',
  access,
  cache: 'no-store',
  formats: ['csv'],
  example: ACTIVITY_CSV_EXAMPLE,
  headers: [ROW_COUNT],
  query: {
    ...quarterQuery,
    currency,
    layout: Type.Optional(
      StringEnum(['months', 'orders'], {
        default: 'months',
        description: 'One row for each month or for each order',
      }),
    ),
    bom,
  },
  open: async (ctx, db, { query }) => {
    const today = sydneyDate(ctx.now());
    const quarter = readQuarter(query.quarter, today);
    const own = query.currency ?? (await ctx.standing()).currency;
    const of = { db, seller_id: ctx.seller_id, currency: own, quarter, today };
    const file = await activityFile(of, query.layout ?? 'months');
    return openCsv(`marketplace-activity-${quarter.label}`, query.bom, file);
  },
});

export const activityExportRoutes = [activity];
