import Type from 'typebox';
import { accountRoute } from '../../reconciliation/index.ts';
import { policyOf } from '../../settlements/index.ts';
import { readBalances } from '../actions/read-account.ts';
import { readOverview } from '../actions/read-overview.ts';
import { readAsOf } from '../domain/as-of.ts';
import { BALANCES_EXAMPLE, Balances, OVERVIEW_EXAMPLE, Overview } from '../schemas/overview.ts';

const asOfQuery = {
  as_of: Type.Optional(
    Type.String({
      maxLength: 40,
      description: 'Any past instant, or a Sydney day, which means its end; defaults to now',
    }),
  ),
};

export const overviewRoutes = [
  accountRoute({
    id: 'financials.overview.get',
    path: '/dashboard',
    summary: 'Read delivered sales, fees, pending and paid amounts',
    description:
      'Every figure is a sum over the same ledger: sales less fees plus adjustments equal pending plus paid amounts.',
    query: asOfQuery,
    answer: 'The overview',
    schema: Overview,
    example: OVERVIEW_EXAMPLE,
    read: (of, { as_of }, ctx) => readOverview(of, readAsOf(as_of, of.now), policyOf(ctx).schedule),
  }),
  accountRoute({
    id: 'financials.balances.get',
    path: '/balances',
    summary: 'Read the account at any past instant',
    description:
      'The amounts in hold, available, reserved, settled and in transit. An entry counts from the instant at which it happened, also when it was recorded later; so a late entry changes what was shown for an instant of an open period. If the period was closed, it counts from its recording.',
    query: asOfQuery,
    answer: 'The balances',
    schema: Balances,
    example: BALANCES_EXAMPLE,
    read: async (of, { as_of }) =>
      (await readBalances(of, readAsOf(as_of, of.now), 'financials.balances.v1')).view,
  }),
];
