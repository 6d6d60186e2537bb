/** Stripe as the provider that the service pays through. */
import type Stripe from 'stripe';
import { sydneyDate } from '../../../kernel/australia/sydney.ts';
import type { Clock } from '../../../kernel/context.ts';
import { type PayoutProvider, type ProviderTransaction, STRIPE } from './provider.ts';
import { stripeAccounts } from './stripe-accounts.ts';
import { calling, openClient } from './stripe-client.ts';
import { stripeTransfers, type TransferMemory } from './stripe-transfers.ts';

const PAGE = 100;

function transactionOf(row: Stripe.BalanceTransaction): ProviderTransaction {
  const { id, type, amount, fee, net, currency, source, available_on, created } = row;
  const object = typeof source === 'object' ? source : null;
  const metadata = object !== null && 'metadata' in object ? object.metadata : null;
  return {
    provider_transaction_id: id,
    type,
    amount_minor: amount,
    fee_minor: fee,
    net_minor: net,
    currency: currency.toUpperCase(),
    source_id: object?.id ?? (typeof source === 'string' ? source : null),
    seller_id: metadata?.['seller_id'] ?? null,
    available_on: sydneyDate(available_on * 1000),
    created_at: new Date(created * 1000).toISOString(),
  };
}

interface StripeSetup {
  readonly apiKey: string;
  readonly apiBase: string;
  readonly memory: TransferMemory;
  readonly now: Clock;
}

export async function createStripe({ apiKey, apiBase, memory, now }: StripeSetup): Promise<PayoutProvider> {
  const client = await openClient(apiKey, apiBase);
  return {
    ...STRIPE,
    transfers: stripeTransfers(client, memory, now),
    accounts: stripeAccounts(client, now),
    transactions: (since) =>
      calling(async () => {
        const gte = Math.floor(Date.parse(since) / 1000);
        const rows: ProviderTransaction[] = [];
        const list = client.balanceTransactions.list({
          created: { gte },
          limit: PAGE,
          expand: ['data.source'],
        });
        for await (const row of list) rows.push(transactionOf(row));
        return rows;
      }),
    async readTransfer(id) {
      const { metadata, amount_reversed } = await calling(() => client.transfers.retrieve(id));
      const { seller_id, settlement_id } = metadata;
      if (seller_id === undefined || settlement_id === undefined) return undefined;
      // The provider's own `reversed` is false for a transfer that was taken back in part.
      return { seller_id, settlement_id, reversed: amount_reversed > 0 };
    },
  };
}
