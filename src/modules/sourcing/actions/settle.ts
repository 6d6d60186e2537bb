/** Derives the states of a request and its quotes from the answers of its suppliers and from the clock. */
import type { Acting } from '../../../kernel/context.ts';
import { writeVersion } from '../../../platform/db/table.ts';
import { stateOfRequest, statusOfQuote } from '../domain/answers.ts';
import { quoteMachine } from '../domain/rfq-machine.ts';
import { quoteEvents, sourcingEvents } from '../events.ts';
import { toWireQuote } from '../schemas/quotes.ts';
import { toWire } from '../schemas/rfqs.ts';
import { answersOf, type QuoteRow, quotes, type RfqRow, rfqs } from '../store.ts';

/** The job that ends a request or a quote. */
export const DUE_JOB = 'sourcing.due';

/** There is one job for each instant, so no job has to be moved. A job that runs too early does nothing. */
export const plan = (ctx: Acting, { rfq_id }: Pick<RfqRow, 'rfq_id'>, instant: string): Promise<void> =>
  ctx.jobs.add({
    kind: DUE_JOB,
    payload: { rfq_id },
    uniqueKey: `${rfq_id} ${instant}`,
    dueAt: Date.parse(instant),
  });

/** Writes the new status of a quote. */
export const moveQuote = (ctx: Acting, quote: QuoteRow, status: QuoteRow['status']): Promise<QuoteRow> =>
  writeVersion(quotes, ctx, quote, { status });

/**
 * Brings a locked request and its quotes to the states that the facts give them. It is safe to run twice.
 *
 * @returns the request and its quotes as they are now
 */
export async function settle(ctx: Acting, before: RfqRow) {
  const { quotes: found, withdrawals } = await answersOf(ctx, before.rfq_id);
  const settled: QuoteRow[] = [];
  for (const quote of found) {
    const isFinal = quoteMachine.eventsFrom(quote.status).length === 0;
    const status = isFinal ? quote.status : statusOfQuote(quote, found, withdrawals, ctx.now());
    const after = status === quote.status ? quote : await moveQuote(ctx, quote, status);
    settled.push(after);
    if (after !== quote && status === 'withdrawn')
      await ctx.emit(quoteEvents.withdrawn.of(toWireQuote(after)));
  }
  const state = stateOfRequest(before, settled, withdrawals, ctx.now());
  if (state.status === before.status && state.quotes === before.quotes)
    return { rfq: before, quotes: settled };
  const rfq = await writeVersion(rfqs, ctx, before, state);
  if (rfq.status !== before.status && (rfq.status === 'answered' || rfq.status === 'expired'))
    await ctx.emit(sourcingEvents[rfq.status].of(toWire(rfq)));
  return { rfq, quotes: settled };
}
