/** Accepts quotes of a request: each supplier gets a draft of a purchase order with what it has quoted. */
import { fail, invalid, missing } from '../../../kernel/errors.ts';
import { requireMove } from '../../../kernel/moves.ts';
import { writeVersion } from '../../../platform/db/table.ts';
import type { HandlerCtx } from '../../../platform/services.ts';
import { draftFromQuote, type WirePurchase } from '../../wholesale/index.ts';
import { rfqMachine } from '../domain/rfq-machine.ts';
import { awardErrors } from '../errors.ts';
import { quoteEvents, sourcingEvents } from '../events.ts';
import { type AwardLine, toWireQuote } from '../schemas/quotes.ts';
import { toWire } from '../schemas/rfqs.ts';
import { type QuoteRow, type RfqRow, rfqs } from '../store.ts';
import { moveQuote, settle } from './settle.ts';

/** @throws ApiError 422 if a line of a quote is awarded twice */
function requireOnce(lines: readonly AwardLine[]): void {
  const again = lines.findIndex(
    (line, index) =>
      lines.findIndex((one) => one.line_no === line.line_no && one.quote_id === line.quote_id) < index,
  );
  if (again === -1) return;
  const msg = 'This line of the quote is named above; name it once, with all units.';
  throw invalid([{ loc: ['body', 'lines', again], msg, type: 'duplicate_line' }]);
}

/** @throws ApiError 404, 409 `quote_not_open`, `line_not_quoted` */
function quotedOf({ lines: asked }: RfqRow, quotes: readonly QuoteRow[], award: AwardLine) {
  const { quote_id, line_no, quantity } = award;
  const quote = quotes.find((one) => one.quote_id === quote_id);
  if (quote === undefined) throw missing(`quote ${quote_id} of the request`);
  if (quote.status !== 'open')
    throw fail(awardErrors.quote_not_open, { facts: { quote_id, status: quote.status } });
  const terms = quote.lines.find((line) => line.line_no === line_no);
  if (terms === undefined) throw fail(awardErrors.line_not_quoted, { facts: { quote_id, line_no } });
  const product_id = asked.find((line) => line.line_no === line_no)?.product_id ?? null;
  return { quote, line: { supplier_item_id: terms.supplier_item_id, product_id, quantity, terms } };
}

/**
 * Awards a locked request. The other open quotes are declined.
 *
 * @returns the request, and one draft for each supplier
 * @throws ApiError 404; 409 `invalid_transition`, `quote_not_open`, `line_not_quoted`, `supplier_not_available`,
 *   `currency_mismatch` and the codes of quantities; 422
 */
export async function awardRfq(
  ctx: HandlerCtx,
  before: RfqRow,
  lines: readonly AwardLine[],
): Promise<{ readonly rfq: RfqRow; readonly purchase_orders: readonly WirePurchase[] }> {
  requireOnce(lines);
  // A timer that is due may not have run yet.
  const { rfq, quotes } = await settle(ctx, before);
  requireMove(rfqMachine, 'award', rfq.status);
  const { rfq_id, currency } = rfq;
  const awarded = Map.groupBy(
    lines.map((line) => quotedOf(rfq, quotes, line)),
    ({ quote }) => quote,
  );
  const purchase_orders: WirePurchase[] = [];
  for (const [quote, own] of awarded) {
    const { supplier_id, freight_minor: flat, free_freight_from_minor: free_from } = quote;
    purchase_orders.push(
      await draftFromQuote(ctx, {
        ...{ rfq_id, supplier_id, currency, freight: { flat, free_from } },
        lines: own.map(({ line }) => line),
      }),
    );
    await moveQuote(ctx, quote, 'accepted');
  }
  for (const quote of quotes) {
    if (quote.status !== 'open' || awarded.has(quote)) continue;
    await ctx.emit(quoteEvents.declined.of(toWireQuote(await moveQuote(ctx, quote, 'declined'))));
  }
  const after = await writeVersion(rfqs, ctx, rfq, { status: 'awarded' });
  await ctx.emit(sourcingEvents.awarded.of(toWire(after)));
  return { rfq: after, purchase_orders };
}
