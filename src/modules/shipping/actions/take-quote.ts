import { idPattern } from '../../../kernel/ids.ts';
import { type Minor, minor } from '../../../kernel/money.ts';
import type { SellerDb } from '../../../platform/db/table.ts';
import type { RateRequest } from '../domain/rate-table.ts';
import { markUse, quotes } from '../store/quotes.ts';

type QuoteProblem = 'quote_not_found' | 'quote_expired' | 'quote_used' | 'quote_option_unknown';

type TakenQuote =
  | {
      readonly ok: true;
      readonly carrier: string;
      readonly service: string;
      readonly price: Minor;
      readonly currency: string;
      /** The request of the quote. The caller compares its parcels. */
      readonly request: RateRequest;
    }
  | { readonly ok: false; readonly problem: QuoteProblem };

const QUOTE_ID = new RegExp(idPattern('qte_'));
const problem = (name: QuoteProblem): TakenQuote => ({ ok: false, problem: name });

/**
 * Uses up an option of a quote within its 24 hours. The quote is locked until the transaction ends. After a rollback it
 * can be used again.
 *
 * @param now milliseconds, the service's clock
 */
export async function takeQuote(
  at: SellerDb,
  { quoteId, optionId, now }: { quoteId: string; optionId: string; now: number },
): Promise<TakenQuote> {
  const quote = QUOTE_ID.test(quoteId)
    ? await quotes.find(at, { quote_id: quoteId }, 'for update')
    : undefined;
  if (quote === undefined) return problem('quote_not_found');
  if (quote.used_at !== null) return problem('quote_used');
  if (Date.parse(quote.expires_at) <= now) return problem('quote_expired');
  const option = quote.options.find(({ option_id }) => option_id === optionId);
  if (option === undefined) return problem('quote_option_unknown');
  await markUse(at, quoteId, { used_at: new Date(now).toISOString(), used_option_id: optionId });
  const { carrier, service, price_minor } = option;
  return {
    ok: true,
    carrier,
    service,
    price: minor(price_minor),
    currency: quote.currency,
    request: quote.request,
  };
}
