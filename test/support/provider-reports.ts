/** What a payment provider says it has booked. */
import { randomUUID } from 'node:crypto';
import type { TestApp, TestSeller } from './app.ts';
import { apply, orderEvent } from './orders.ts';

export interface Reported {
  /** Default: a charge. */
  readonly type?: string;
  readonly amount: number;
  readonly fee?: number;
  readonly source?: string;
  readonly seller?: string;
  readonly created_at?: string;
  readonly id?: string;
}

/** A provider's list of transactions, complete until an instant, in the name of one of the sellers. */
export function reportEvent(
  app: TestApp,
  seller: TestSeller,
  through: string,
  transactions: readonly Reported[],
): Record<string, unknown> {
  const data = {
    provider: 'stripe',
    data_through: through,
    transactions: transactions.map(
      ({ type = 'charge', amount, fee = 0, source, seller: of, created_at, id }) => ({
        provider_transaction_id: id ?? `txn_${randomUUID()}`,
        type,
        amount_minor: amount,
        fee_minor: fee,
        net_minor: amount - fee,
        currency: 'AUD',
        source_id: source ?? null,
        seller_id: of ?? null,
        created_at: created_at ?? '2026-07-19T00:00:00Z',
      }),
    ),
  };
  const { subject: _, ...event } = orderEvent(app, seller, 'provider.transactions_reported', '', data);
  return event;
}

/** Sends it. */
export const reportTo = (
  app: TestApp,
  seller: TestSeller,
  through: string,
  transactions: readonly Reported[],
): Promise<void> => apply(app, reportEvent(app, seller, through, transactions));
