/** Reports of a payment provider. */
import { randomUUID } from 'node:crypto';
import type { TestApp, TestSeller } from './app.ts';
import { apply, orderEvent, placeOrder } from './orders.ts';

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

/** A provider's list of transactions that is complete until an instant. */
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

/** The reconciliation of a seller's account. */
export const reconciliationOf = async (seller: TestSeller): Promise<Readonly<Record<string, unknown>>> =>
  (await seller.call<{ reconciliation: Record<string, unknown> }>('GET', '/financials/balances')).body
    .reconciliation;

/** Long enough before the reports, so that no reconciliation window is open. */
export const LONG_AGO = '2026-07-15T00:00:00Z';

export interface Sold {
  readonly seller: TestSeller;
  readonly order: string;
  readonly charge: string;
  /** Sends an event of the order, by default at the time of its payment. */
  readonly tell: (type: string, data: object, time?: string) => Promise<void>;
}

/** A captured order of 33.33, and a report of its charge that is complete until an instant. */
export async function soldAndReported(app: TestApp, through: string): Promise<Sold> {
  const seller = await app.seller();
  const order = await placeOrder(app, seller, [{ sku: 'A', title: 'A', price: 3_333 }]);
  const charge = `ch_${randomUUID()}`;
  const tell = (type: string, data: object, time = '2026-07-14T00:00:00Z') =>
    apply(app, orderEvent(app, seller, type, order, data, { time }));
  await tell('order.payment_captured', {
    charge_id: charge,
    captured_minor: 3_333,
    provider_fee_minor: 68,
  });
  await reportTo(app, seller, through, [{ amount: 3_333, fee: 68, source: charge, created_at: LONG_AGO }]);
  return { seller, order, charge, tell };
}
