/** The payment provider of this installation, and what the service remembers of its transfers. */

import type { Configuration } from '../../../kernel/context.ts';
import { minor, minorToJson } from '../../../kernel/money.ts';
import type { Services } from '../../../platform/services.ts';
import { MANUAL, type PayoutProvider, STRIPE } from '../adapters/provider.ts';
import { createStripe } from '../adapters/stripe.ts';
import type { TransferMemory } from '../adapters/stripe-transfers.ts';
import { payoutSettings } from '../settings.ts';
import { findAccount } from '../store/accounts.ts';
import { findTransfer, insertTransfer, transferMade } from '../store/transfers.ts';

export type ProviderServices = Pick<Services, 'config' | 'now' | 'withSellerLong'>;
type Facts = Pick<PayoutProvider, 'name' | 'accountRequired' | 'hasPages' | 'description'>;

/** What sellers read of the provider that begins payouts now. */
export const providerFacts = (config: Configuration): Facts =>
  payoutSettings.of(config).PAYMENT_PROVIDER === 'stripe' ? STRIPE : MANUAL;

/** Whether sellers must open an account with the provider. */
export const asksForAccount = (config: Configuration): boolean => providerFacts(config).accountRequired;

function transferMemory({ withSellerLong, now }: ProviderServices): TransferMemory {
  const at = () => new Date(now()).toISOString();
  return {
    accountOf: (seller_id) =>
      withSellerLong(
        seller_id,
        'read',
        async (db) => (await findAccount({ db, seller_id }))?.provider_account_id,
      ),
    ask: ({ seller_id, settlement_id, amount_minor, currency }) =>
      withSellerLong(seller_id, 'write', async (db) => {
        const isFirst = await insertTransfer(
          { db, seller_id },
          {
            ...{ settlement_id, provider: STRIPE.name, provider_transfer_id: null, currency },
            ...{ amount_minor: minor(amount_minor), state: 'asked', first_asked_at: at(), made_at: null },
          },
        );
        const row = await findTransfer({ db, seller_id }, settlement_id);
        if (row === undefined) throw new Error(`the transfer of ${settlement_id} is gone`);
        const { first_asked_at, provider_transfer_id, state } = row;
        const isReversed = state === 'reversed';
        const amount = minorToJson(row.amount_minor);
        return { isFirst, first_asked_at, provider_transfer_id, amount_minor: amount, isReversed };
      }),
    made: ({ seller_id, settlement_id }, transferId) =>
      withSellerLong(seller_id, 'write', async (db) => {
        await transferMade({ db, seller_id }, settlement_id, transferId, at());
      }),
  };
}

const opened = new WeakMap<Configuration, Promise<PayoutProvider>>();

/** Stripe, where the service has a key for it; it pays what it began, also when the next payouts are begun otherwise. */
export function stripeOf(services: ProviderServices): Promise<PayoutProvider> | undefined {
  const { PAYMENT_PROVIDER_API_KEY: apiKey, PAYMENT_PROVIDER_API_BASE: apiBase } = payoutSettings.of(
    services.config,
  );
  if (apiKey === undefined) return undefined;
  const known = opened.get(services.config);
  if (known !== undefined) return known;
  const made = createStripe({ apiKey, apiBase, memory: transferMemory(services), now: services.now });
  opened.set(services.config, made);
  return made;
}

/** The provider that begins payouts now. */
export async function providerInUse(services: ProviderServices): Promise<PayoutProvider> {
  const stripe = providerFacts(services.config).name === STRIPE.name ? stripeOf(services) : undefined;
  return (await stripe) ?? MANUAL;
}
