/** The payment provider of this installation, and what the service remembers of its transfers. */

import type { Configuration } from '../../../kernel/context.ts';
import { minor, minorToJson } from '../../../kernel/money.ts';
import type { Services } from '../../../platform/services.ts';
import { MANUAL, type PayoutProvider, STRIPE } from '../adapters/provider.ts';
import { createStripe } from '../adapters/stripe.ts';
import type { TransferMemory } from '../adapters/stripe-transfers.ts';
import { payoutSettings } from '../settings.ts';
import { findAccount } from '../store/accounts.ts';
import { askAgain, transferMade, transferRefused, transfers } from '../store/transfers.ts';

type ProviderServices = Pick<Services, 'config' | 'now' | 'withSellerLong'>;
type Facts = Pick<PayoutProvider, 'name' | 'accountRequired' | 'hasPages' | 'description'>;

/** What sellers read of the provider that begins payouts now. */
export const providerFacts = (config: Configuration): Facts =>
  payoutSettings.of(config).PAYMENT_PROVIDER === 'stripe' ? STRIPE : MANUAL;

/** Whether sellers must open an account with the provider. */
export const asksForAccount = (config: Configuration): boolean => providerFacts(config).accountRequired;

/**
 * The key under which the provider knows the transfer of a settlement: at any time one, which changes only after the
 * provider has refused it, because the provider repeats its refusal for a day.
 */
const transferKey = (settlementId: string, attempt: number): string =>
  attempt === 1 ? settlementId : `${settlementId}-t${attempt}`;

function transferMemory({ withSellerLong, now }: ProviderServices): TransferMemory {
  const at = () => new Date(now()).toISOString();
  return {
    accountOf: (seller_id) =>
      withSellerLong(
        seller_id,
        'read',
        async (db) => (await findAccount({ db, seller_id }))?.provider_account_id,
      ),
    ask: ({ seller_id, settlement_id, attempt, amount_minor, currency }) =>
      withSellerLong(seller_id, 'write', async (db) => {
        const isFirst = await transfers.insert(
          { db, seller_id },
          {
            ...{ settlement_id, provider: STRIPE.name, provider_transfer_id: null, currency },
            ...{ amount_minor: minor(amount_minor), state: 'asked', asked_attempt: attempt },
            ...{ first_asked_at: at(), made_at: null },
          },
        );
        if (!isFirst) await askAgain({ db, seller_id }, settlement_id, attempt);
        const row = await transfers.find({ db, seller_id }, { settlement_id });
        if (row === undefined) throw new Error(`the transfer of ${settlement_id} is gone`);
        const { first_asked_at, provider_transfer_id, state, asked_attempt } = row;
        if (asked_attempt > attempt)
          throw new Error(`attempt ${attempt} of ${settlement_id} has ended; ${asked_attempt} has begun`);
        const key = transferKey(settlement_id, asked_attempt);
        const isReversed = state === 'reversed';
        const amount = minorToJson(row.amount_minor);
        const known = { isFirst, first_asked_at, asked_attempt, key, provider_transfer_id };
        return { ...known, amount_minor: amount, isReversed };
      }),
    refused: ({ seller_id, settlement_id }, { asked_attempt }) =>
      withSellerLong(seller_id, 'write', async (db) => {
        await transferRefused({ db, seller_id }, settlement_id, asked_attempt);
      }),
    made: ({ seller_id, settlement_id }, transferId) =>
      withSellerLong(seller_id, 'write', async (db) => {
        await transferMade({ db, seller_id }, settlement_id, transferId, at());
        const row = await transfers.find({ db, seller_id }, { settlement_id });
        return row?.state === 'made' && row.provider_transfer_id === transferId;
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
