import Type from 'typebox';
import { sydneyDate } from '../../../kernel/australia/sydney.ts';
import { coreErrors, fail } from '../../../kernel/errors.ts';
import { bom, currency, openCsv, ROW_COUNT } from '../../../platform/rest/csv-file.ts';
import { fileRoute } from '../../../platform/rest/file-route.ts';
import { access } from '../../reconciliation/index.ts';
import { findSettlement, STATEMENT_CSV_EXAMPLE, statementFile } from '../../settlements/index.ts';
import { PAYOUTS_CSV_EXAMPLE, payoutsFile } from '../actions/export-payouts.ts';
import { findPayout } from '../store/payouts.ts';
import { payoutFilter } from './records.ts';

const list = fileRoute({
  id: 'payments_payouts.export',
  path: '/export/csv',
  summary: 'Export payouts as CSV',
  description:
    'The payouts that `GET /payments/payouts` lists with the same filters, in one currency, the newest first; days are Sydney days. Every attempt is a row; money that arrived and stayed has the status `paid`.',
  access,
  cache: 'no-store',
  formats: ['csv'],
  example: PAYOUTS_CSV_EXAMPLE,
  headers: [ROW_COUNT],
  query: { ...payoutFilter, currency, bom },
  open: async (ctx, db, { query: { bom: mark, ...filter } }) => {
    const own = filter.currency ?? (await ctx.standing()).currency;
    const file = await payoutsFile(ctx.in(db), { ...filter, currency: own });
    return openCsv(`payouts-${sydneyDate(ctx.now())}`, mark, file);
  },
});

const statement = fileRoute({
  id: 'payments_payouts.statement.export',
  path: '/{payout_id}/statement.csv',
  summary: 'Export the lines of a payout as CSV',
  description:
    'The lines of its settlement, as in `GET /financials/settlements/{settlement_id}/export/csv`. The row of the payout is this attempt, even if it failed. The amounts sum to zero.',
  access,
  cache: 'no-store',
  formats: ['csv'],
  example: STATEMENT_CSV_EXAMPLE,
  headers: [ROW_COUNT],
  params: Type.Object({ payout_id: Type.String({ description: 'Id of the payout, `pay_…`' }) }),
  query: { bom },
  errors: [coreErrors.not_found],
  open: async (ctx, db, { params, query }) => {
    const at = ctx.in(db);
    const payout = await findPayout(at, params['payout_id'] ?? '');
    const settlement = payout && (await findSettlement(at, payout.settlement_id));
    if (payout === undefined || settlement === undefined) throw fail(coreErrors.not_found);
    const { payout_id, payment_reference } = payout;
    const row = { ...settlement, payout_id, payment_reference };
    const file = statementFile(at, [{ row }], { layout: 'detail', payee: '' });
    return openCsv(`payout-${payout_id}`, query.bom, file);
  },
});

export const fileRoutes = [list, statement];
