import Type from 'typebox';
import { sydneyDate } from '../../../kernel/australia/sydney.ts';
import { StringEnum } from '../../../kernel/schema.ts';
import { looseRoute as defineRoute } from '../../../platform/http/define-route.ts';
import { bom, csvAnswer, currency, ofExports } from '../../settlements/index.ts';
import { activityFile } from '../actions/export-activity.ts';
import { quarterQuery, readQuarter } from './activity.ts';

const activity = defineRoute({
  id: 'financials.activity.export',
  method: 'GET',
  path: '/marketplace-activity/export/csv',
  summary: 'Export the marketplace activity of an Australian financial quarter as CSV',
  description:
    'One row for each calendar month that has begun, or for each order and day; both sum to the record of the quarter. Refunds are not taken off sales. No statement of any tax.',
  ...ofExports,
  query: Type.Object({
    ...quarterQuery,
    currency,
    layout: Type.Optional(StringEnum(['months', 'orders'], { default: 'months' })),
    bom,
  }),
  errors: [],
  handler: async (ctx, { query }) => {
    const today = sydneyDate(ctx.now());
    const quarter = readQuarter(query.quarter, today);
    const own = query.currency ?? (await ctx.standing()).currency;
    const of = { sellerId: ctx.seller.seller_id, currency: own, quarter, today };
    const name = `marketplace-activity-${quarter.label}`;
    return csvAnswer(ctx, name, query.bom, (db) => activityFile(db, of, query.layout ?? 'months'));
  },
});

export const activityExportRoutes = [activity];
