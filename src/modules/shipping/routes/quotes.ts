import Type, { type Static } from 'typebox';
import { auAddressProblems, stateOfPostcode } from '../../../kernel/australia/address.ts';
import { isAuPostcode } from '../../../kernel/australia/postcode.ts';
import type { Ctx } from '../../../kernel/context.ts';
import { coreErrors, type FieldProblem, invalid, requireFound } from '../../../kernel/errors.ts';
import { idOf } from '../../../kernel/id-of.ts';
import { currencyExponent } from '../../../kernel/money.ts';
import { defineRoute, okJson } from '../../../platform/http/define-route.ts';
import { reads, writes } from '../../../platform/rest/access.ts';
import { keyed } from '../../../platform/rest/keyed.ts';
import { askForQuote, type QuoteAnswer } from '../actions/ask-for-quote.ts';
import { carrierAdapters } from '../adapters/adapters.ts';
import { RATE_CURRENCY, type RateRequest } from '../domain/rate-table.ts';
import { shippingErrors } from '../errors.ts';
import { QUOTE_EXAMPLE, QUOTE_INPUT_EXAMPLE, Quote, QuoteInput } from '../schemas/quote.ts';
import { type QuoteRow, quotes } from '../store/quotes.ts';

/** Carriers change their prices at most once a day. */
const LIFETIME_MS = 24 * 60 * 60 * 1000;

const statusOf = ({ used_at, expires_at }: QuoteRow, now: number): Static<typeof Quote>['status'] => {
  if (used_at !== null) return 'used';
  return Date.parse(expires_at) <= now ? 'expired' : 'open';
};

function view(row: QuoteRow, now: number): Static<typeof Quote> {
  const { request, options, refused, ...rest } = row;
  const { line1 = null, line2 = null, state = null, postcode = null, country } = request.to as QuoteTo;
  return {
    ...rest,
    status: statusOf(row, now),
    currency_exponent: currencyExponent(row.currency),
    from_postcode: request.from_postcode,
    to: { line1, line2, state, postcode, country },
    packages: [...request.packages],
    options: options.map((option) => ({ ...option, label_formats: [...option.label_formats] })),
    refused: [...refused],
  };
}

type QuoteTo = RateRequest['to'] & { readonly line1?: string | null; readonly line2?: string | null };

function problemsOf({ from_postcode, to }: { from_postcode: string; to: QuoteTo }): FieldProblem[] {
  const problems = auAddressProblems(to, ['body', 'to']);
  if (!isAuPostcode(from_postcode) || stateOfPostcode(from_postcode) === undefined) {
    const msg = 'There is no such postcode in Australia.';
    problems.push({ loc: ['body', 'from_postcode'], msg, type: 'postcode_unknown', input: from_postcode });
  }
  return problems;
}

function rowOf({ ids, now }: Ctx, request: RateRequest, offers: QuoteAnswer): QuoteRow {
  return {
    quote_id: ids.next('qte_'),
    request,
    ...offers,
    currency: RATE_CURRENCY,
    created_at: new Date(now()).toISOString(),
    expires_at: new Date(now() + LIFETIME_MS).toISOString(),
    used_at: null,
    used_option_id: null,
  };
}

const create = defineRoute({
  id: 'shipping.quotes.create',
  method: 'POST',
  path: '/quotes',
  summary: 'Get shipping quotes',
  description:
    'Each option can be used for one label, within 24 hours. The built-in carrier always answers; `refused` names a carrier that does not.',
  access: writes('shipping'),
  body: { kind: 'json', schema: QuoteInput, example: QUOTE_INPUT_EXAMPLE },
  ok: okJson('The quote; `Location` names it', Quote, QUOTE_EXAMPLE, 201),
  errors: [
    shippingErrors.carrier_unavailable,
    shippingErrors.carrier_refused,
    shippingErrors.carrier_not_connected,
  ],
  tx: 'own',
  handler: async (ctx, { body, key, path, signal }) => {
    const { carriers, ...request } = body;
    const problems = problemsOf(request);
    if (problems.length > 0) throw invalid(problems);
    const { answer } = await ctx.transaction('write', (db) => key.earlier(db));
    if (answer !== undefined) return answer;
    // A carrier may be slow, so no transaction is open during the call.
    const offers = await askForQuote(carrierAdapters(ctx.config, ctx.log), request, carriers);
    return keyed(ctx, { key, signal }, async (inside) => {
      const row = rowOf(ctx, request, offers);
      await quotes.insert(inside, row);
      return { body: view(row, ctx.now()), headers: { location: `${path}/${row.quote_id}` } };
    });
  },
});

const get = defineRoute({
  id: 'shipping.quotes.get',
  method: 'GET',
  path: '/quotes/{quote_id}',
  summary: 'Read a quote',
  description: 'Shows the offers of each carrier, those that refused, and when the quote expires.',
  access: reads('shipping'),
  params: Type.Object({ quote_id: Type.String({ description: 'Id of the quote, `qte_…`' }) }),
  ok: okJson('The quote', Quote, QUOTE_EXAMPLE),
  errors: [coreErrors.not_found],
  handler: async (ctx, { params }) => {
    const row = requireFound(await quotes.find(ctx, { quote_id: idOf('qte_', params.quote_id) }));
    const body = view(row, ctx.now());
    return { body, etag: `${row.quote_id}.${body.status}` };
  },
});

export const quoteRoutes = [create, get];
