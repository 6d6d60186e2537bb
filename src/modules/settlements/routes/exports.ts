import Type from 'typebox';
import { requireDays } from '../../../kernel/australia/day-window.ts';
import { closesAt } from '../../../kernel/australia/settlement-period.ts';
import { coreErrors, fail, invalid } from '../../../kernel/errors.ts';
import { StringEnum } from '../../../kernel/schema.ts';
import { bom, currency, nameOfDays, openCsv, PARTS, ROW_COUNT } from '../../../platform/rest/csv-file.ts';
import { fileRoute } from '../../../platform/rest/file-route.ts';
import type { HandlerCtx } from '../../../platform/services.ts';
import { access } from '../../reconciliation/index.ts';
import { chooseSettlements, type StatementLayout, statementFile } from '../actions/export-settlements.ts';
import { operatorOf, policyOf } from '../actions/policy.ts';
import { type Found, requireSettlement } from '../actions/read-settlements.ts';
import { takePart } from '../actions/split-settlements.ts';
import { SETTLEMENT_STATUSES } from '../domain/settlement.ts';
import { errors } from '../errors.ts';
import { STATEMENT_CSV_EXAMPLE } from '../schemas/detail-columns.ts';
import { CLEARING_SHAPES, STATEMENT_LINES_MAX } from '../schemas/summary-columns.ts';

const LAYOUTS = ['detail', 'journal', 'clearing'] as const;
const SHAPES = CLEARING_SHAPES.filter((shape) => shape !== 'clearing');

/** The format of the rows. A layout is the service's own; a shape is the format of another program. */
const layoutQuery = {
  layout: Type.Optional(
    StringEnum(LAYOUTS, {
      description:
        'detail (default): one row for each line; journal: one for each group and type; clearing: lines of a clearing account. The amounts of a settlement sum to zero in each',
    }),
  ),
  shape: Type.Optional(
    StringEnum(SHAPES, {
      description: 'Columns of the bank statement that another program imports; not together with `layout`',
    }),
  ),
  bom,
};
interface LayoutQuery {
  readonly layout?: (typeof LAYOUTS)[number];
  readonly shape?: string;
}

function readLayout({ layout, shape }: LayoutQuery): StatementLayout {
  if (layout !== undefined && shape !== undefined) {
    const msg = 'Ask for a layout or for a shape, not for both.';
    throw invalid([{ loc: ['query', 'shape'], msg, type: 'not_together', input: shape }]);
  }
  return CLEARING_SHAPES.find((one) => one === shape) ?? layout ?? 'detail';
}

/** The rows of single lines are the ordinary layout, and the name says any other. */
const nameOf = (about: string, layout: StatementLayout): string =>
  layout === 'detail' ? about : `${about}-${layout}`;

const open = Type.Optional(
  Type.Boolean({
    default: false,
    description: 'Include the open settlement with its figures of now; nothing of it is paid yet',
  }),
);

function optionsOf(ctx: HandlerCtx, layout: StatementLayout) {
  const payee = operatorOf(ctx.config).name ?? 'Marketplace';
  return { layout, payee };
}

const noSuchPart = (input: number | undefined) =>
  invalid([
    { loc: ['query', 'part'], msg: 'There are fewer parts than this.', type: 'less_than_equal', input },
  ]);

const day = (description: string) => Type.Optional(Type.String({ format: 'date', description }));

const settlements = fileRoute({
  id: 'financials.settlements.export',
  path: '/settlements/export/csv',
  summary: 'Export settlements as CSV',
  description:
    'Lists the entries of each settlement in one currency, from one snapshot, the first period first. Gains of the seller are above zero. An apostrophe precedes text cells that a spreadsheet would run as a formula, but never amounts. Lines of a clearing account are split into files of at most 1,000 lines, each with whole settlements: `X-Part-Count` is the number of files, and `part` selects one.',
  access,
  cache: 'no-store',
  formats: ['csv'],
  example: STATEMENT_CSV_EXAMPLE,
  headers: [ROW_COUNT, ...PARTS],
  query: {
    ...layoutQuery,
    from: day('Periods that end on or after this day'),
    to: day('Periods that begin on or before this day'),
    status: Type.Optional(
      StringEnum(
        SETTLEMENT_STATUSES.filter((status) => status !== 'open'),
        { description: 'Settlements in this state' },
      ),
    ),
    currency,
    include_empty: Type.Optional(
      Type.Boolean({ default: false, description: 'Include periods without any activity' }),
    ),
    include_open: open,
    part: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 1_000_000,
        default: 1,
        description: `Which file, if there are more clearing lines than the ${STATEMENT_LINES_MAX} that other programs accept in one file`,
      }),
    ),
  },
  open: async (ctx, db, { query }) => {
    const layout = readLayout(query);
    const { status, from, to, include_empty } = query;
    requireDays({ from, to });
    const policy = query.include_open === true ? policyOf(ctx) : undefined;
    const filter = {
      status: status === undefined ? undefined : [status],
      from,
      to,
      include_empty,
      currency: query.currency ?? (await ctx.standing()).currency,
    };
    const at = ctx.in(db);
    const chosen = await chooseSettlements(at, filter, policy);
    const taken = takePart(chosen, layout, query.part ?? 1);
    if (taken === undefined) throw noSuchPart(query.part);
    const file = statementFile(at, taken.chosen, optionsOf(ctx, layout));
    const name = nameOfDays(nameOf('settlements', layout), { from, to }, ctx.now());
    return openCsv(name, query.bom, taken.part === undefined ? file : { ...file, part: taken.part });
  },
});

/** @throws ApiError 404; 409 for an open settlement without `include_open` */
async function loadOne(ctx: HandlerCtx, id: string, includeOpen: boolean | undefined): Promise<Found> {
  const chosen = await requireSettlement(ctx, id);
  if (chosen.row.status === 'open' && includeOpen !== true) {
    const { period_start: start, period_end: end } = chosen.row;
    throw fail(errors.settlement_open, {
      detail: 'The settlement is open: ask with include_open=true for what it holds so far.',
      facts: { closes_at: new Date(closesAt({ start, end })).toISOString() },
    });
  }
  return chosen;
}

const settlement = fileRoute({
  id: 'financials.settlement.export',
  path: '/settlements/{settlement_id}/export/csv',
  summary: 'Export one settlement as CSV',
  description:
    'The file of `GET /financials/settlements/export/csv` for one settlement. An open settlement needs `include_open=true`.',
  access,
  cache: 'no-store',
  formats: ['csv'],
  example: STATEMENT_CSV_EXAMPLE,
  headers: [ROW_COUNT],
  params: Type.Object({ settlement_id: Type.String({ description: 'Id of the settlement, `stl_…`' }) }),
  query: { ...layoutQuery, include_open: open },
  errors: [coreErrors.not_found, errors.settlement_open],
  open: async (ctx, db, { params, query }) => {
    const layout = readLayout(query);
    const at = ctx.in(db);
    const one = await loadOne(at, params['settlement_id'] ?? '', query.include_open);
    const { currency: own, period_start: from, period_end: to } = one.row;
    const name = nameOfDays(nameOf(`settlement-${own}`, layout), { from, to }, ctx.now());
    return openCsv(name, query.bom, statementFile(at, [one], optionsOf(ctx, layout)));
  },
});

export const exportRoutes = [settlements, settlement];
