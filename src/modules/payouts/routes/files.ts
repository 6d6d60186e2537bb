import Type from 'typebox';
import { coreErrors } from '../../../kernel/errors.ts';
import { looseRoute as defineRoute } from '../../../platform/http/define-route.ts';
import { bom, currency, ofExports } from '../../settlements/index.ts';
import { payoutList, payoutStatement } from './payout-files.ts';
import { payoutFilter } from './records.ts';

const list = defineRoute({
  id: 'payments_payouts.export',
  method: 'GET',
  path: '/export/csv',
  summary: 'Export payouts as CSV',
  description:
    'The payouts that `GET /payments/payouts` lists with the same filters, in one currency, the newest first; days are those of Sydney. Every attempt is a row: what arrived and stayed has the status `paid`.',
  ...ofExports,
  query: Type.Object({ ...payoutFilter, currency, bom }),
  errors: [],
  handler: (ctx, { query: { bom: mark, ...filter } }) => payoutList(ctx, filter, mark),
});

const statement = defineRoute({
  id: 'payments_payouts.statement.export',
  method: 'GET',
  path: '/{payout_id}/statement.csv',
  summary: 'Export what a payout was made of as CSV',
  description:
    'The settlement that it pays, line by line, as `GET /financials/settlements/{settlement_id}/export/csv` has it; the row of the payout is this attempt, also where it failed. The amounts sum to zero.',
  ...ofExports,
  params: Type.Object({ payout_id: Type.String({ description: 'Identifier of the payout, `pay_…`' }) }),
  query: Type.Object({ bom }),
  errors: [coreErrors.not_found],
  handler: (ctx, { params, query }) => payoutStatement(ctx, params.payout_id, query.bom),
});

export const fileRoutes = [list, statement];
