import Type from 'typebox';
import { defineRoute } from '../../../platform/http/define-route.ts';
import { access, accountScope, asOfQuery, currencyQuery, figures } from '../../reconciliation/index.ts';
import { policyOf } from '../../settlements/index.ts';
import { readBalances } from '../actions/read-account.ts';
import { readOverview } from '../actions/read-overview.ts';
import { readAsOf } from '../domain/as-of.ts';
import { BALANCES_EXAMPLE, Balances, OVERVIEW_EXAMPLE, Overview } from '../schemas/overview.ts';

const overview = defineRoute({
  id: 'financials.overview.get',
  method: 'GET',
  path: '/dashboard',
  summary: 'What was delivered, what it cost, what is pending and what was paid',
  description:
    'Every figure is a sum of the same ledger: sales less fees plus adjustments are what is pending plus what was paid.',
  access,
  ...figures,
  query: Type.Object({ ...currencyQuery, ...asOfQuery }),
  ok: [{ status: 200, description: 'The overview', schema: Overview, example: OVERVIEW_EXAMPLE }],
  errors: [],
  handler: async (ctx, { query }) => {
    const asOf = readAsOf(query.as_of, ctx.now());
    const of = await accountScope(ctx, query.currency);
    return { body: await readOverview(of, asOf, policyOf(ctx).schedule) };
  },
});

const balances = defineRoute({
  id: 'financials.balances.get',
  method: 'GET',
  path: '/balances',
  summary: 'The account at any past instant',
  description:
    'What was in hold, available, reserved, settled and on its way. What was recorded late counts from its recording on.',
  access,
  ...figures,
  query: Type.Object({ ...currencyQuery, ...asOfQuery }),
  ok: [{ status: 200, description: 'The balances', schema: Balances, example: BALANCES_EXAMPLE }],
  errors: [],
  handler: async (ctx, { query }) => {
    const asOf = readAsOf(query.as_of, ctx.now());
    const of = await accountScope(ctx, query.currency);
    return { body: (await readBalances(of, asOf, 'financials.balances.v1')).view };
  },
});

export const overviewRoutes = [overview, balances];
