import Type from 'typebox';
import { requireDays } from '../../../kernel/australia/day-window.ts';
import { sydneyDate } from '../../../kernel/australia/sydney.ts';
import { pageOf } from '../../../kernel/cursor.ts';
import { currencyExponent } from '../../../kernel/money.ts';
import { PAGE_LIMIT_DEFAULT, Page, pageQuery } from '../../../kernel/schema.ts';
import { defineRoute } from '../../../platform/http/define-route.ts';
import {
  access,
  accountScope,
  currencyQuery,
  Day,
  describeFigures,
  figures,
  metadata,
  metadataExample,
} from '../../reconciliation/index.ts';
import { lineJson } from '../actions/read-orders.ts';
import { ENTRY_EXAMPLE, EntrySchema, LineBucket, LineType } from '../schemas/order-statement.ts';
import { type EntryPosition, listLines } from '../store/statement-lines.ts';

const CONTRACT = 'financials.entries.v1';
const Id = (description: string) => Type.Optional(Type.String({ minLength: 1, maxLength: 200, description }));

const entries = defineRoute({
  id: 'financials.entries.list',
  method: 'GET',
  path: '/entries',
  summary: 'Every line of the statement, those in hold too',
  description: 'By the day on which a line counts, the latest first.',
  access,
  ...figures,
  query: Type.Object({
    order_id: Id('Lines of this order'),
    type: Type.Optional(
      Type.Array(LineType, {
        maxItems: 25,
        description: 'Entries of any of these types; repeat the parameter',
      }),
    ),
    bucket: Type.Optional(LineBucket),
    related_id: Id('Lines of this refund, dispute, adjustment or reserve'),
    settlement_id: Id('Lines of this closed settlement'),
    from: Type.Optional(Day('Entries that count on this Sydney day or later')),
    to: Type.Optional(Day('Entries that count on this Sydney day or earlier')),
    ...currencyQuery,
    ...pageQuery,
  }),
  ok: [
    {
      status: 200,
      description: 'One page',
      schema: Page(EntrySchema, {
        currency: Type.String(),
        currency_exponent: Type.Integer(),
        ...metadata,
      }),
      example: {
        data: [ENTRY_EXAMPLE],
        page: { limit: 50, next_cursor: null, has_more: false },
        currency: 'AUD',
        currency_exponent: 2,
        ...metadataExample(CONTRACT),
      },
    },
  ],
  errors: [],
  handler: async (ctx, { query }) => {
    const { limit = PAGE_LIMIT_DEFAULT, cursor, ...given } = query;
    requireDays({ from: given.from, to: given.to });
    const of = await accountScope(ctx, given.currency);
    const { currency, sellerId, db } = of;
    const filter = { ...given, currency };
    const { cursors } = ctx.services;
    const scope = { seller_id: sellerId, route: 'financials.entries.list', filters: filter };
    const after = cursor === undefined ? undefined : (cursors.decode(scope, cursor) as EntryPosition);
    const rows = await listLines(db, sellerId, filter, after, limit);
    const { data, page } = pageOf(rows, limit, ({ posted_on, position }) =>
      cursors.encode(scope, [posted_on, position]),
    );
    const today = sydneyDate(ctx.now());
    return {
      body: {
        data: data.map((line) => ({ ...lineJson(line, today), order_id: line.order_id, currency })),
        page,
        currency,
        currency_exponent: currencyExponent(currency),
        ...(await describeFigures(of, CONTRACT)),
      },
    };
  },
});

export const entryRoutes = [entries];
