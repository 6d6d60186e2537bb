/** Accounts of sellers at Stripe, with its hosted pages. */
import type Stripe from 'stripe';
import type { Clock } from '../../../kernel/context.ts';
import type { Due, ProviderAccount, ProviderRequirement } from '../domain/account-status.ts';
import { type ProviderAccounts, ProviderRefused } from './provider.ts';
import { calling, looking, SKEW_S } from './stripe-client.ts';

/** The library does not say when a link to the dashboard ends. */
const DASHBOARD_MS = 300_000;
const isoOf = (seconds: number): string => new Date(seconds * 1000).toISOString();

/** Each requirement once, at its most urgent. */
function requirementsOf({ requirements }: Stripe.Account): ProviderRequirement[] {
  const lists: readonly (readonly [Due, readonly string[]])[] = [
    ['past_due', requirements?.past_due ?? []],
    ['currently_due', requirements?.currently_due ?? []],
    ['eventually_due', requirements?.eventually_due ?? []],
  ];
  const byCode = new Map<string, Due>();
  for (const [due, codes] of lists) for (const code of codes) if (!byCode.has(code)) byCode.set(code, due);
  return [...byCode].map(([provider_code, due]) => ({
    provider_code,
    due,
    errors: (requirements?.errors ?? [])
      .filter(({ requirement }) => requirement === provider_code)
      .map(({ code, reason }) => ({ code, text: reason })),
  }));
}

function accountOf(account: Stripe.Account): ProviderAccount {
  const { requirements, external_accounts, capabilities, details_submitted, payouts_enabled } = account;
  const banks = (external_accounts?.data ?? []).filter((one) => one.object === 'bank_account');
  const bank = banks.find((one) => one.default_for_currency === true) ?? banks[0];
  const deadline = requirements?.current_deadline ?? null;
  return {
    payable: capabilities?.transfers === 'active' && payouts_enabled,
    submitted: details_submitted,
    disabled_reason: requirements?.disabled_reason ?? null,
    requirements: requirementsOf(account),
    deadline: deadline === null ? null : isoOf(deadline),
    destination:
      bank === undefined
        ? null
        : {
            ...{ bank_name: bank.bank_name, last4: bank.last4, currency: bank.currency.toUpperCase() },
            // The id is another one when the same bank account is entered again.
            reference: bank.fingerprint ?? bank.id,
          },
  };
}

const GONE = new Set(['account_invalid', 'resource_missing']);

export function stripeAccounts(client: Stripe, now: Clock): ProviderAccounts {
  return {
    async open({ sellerId, email, key }) {
      const params: Stripe.AccountCreateParams = {
        country: 'AU',
        controller: {
          stripe_dashboard: { type: 'express' },
          fees: { payer: 'application' },
          losses: { payments: 'application' },
          requirement_collection: 'stripe',
        },
        capabilities: { transfers: { requested: true } },
        settings: { payouts: { schedule: { interval: 'manual' } } },
        metadata: { seller_id: sellerId },
        ...(email === null ? {} : { email }),
      };
      const { id } = await calling(() => client.accounts.create(params, { idempotencyKey: key }));
      return id;
    },
    async read(id) {
      try {
        return accountOf(await looking(() => client.accounts.retrieve(id)));
      } catch (error) {
        const { cause } = error as Error;
        if (cause instanceof ProviderRefused && GONE.has(cause.code)) return undefined;
        throw error;
      }
    },
    async findOpened(sellerId, since) {
      const gte = Math.floor(Date.parse(since) / 1000) - SKEW_S;
      return looking(async () => {
        const list = client.accounts.list({ created: { gte }, limit: 100 });
        for await (const { id, metadata } of list) if (metadata?.['seller_id'] === sellerId) return id;
        return undefined;
      });
    },
    async onboardingLink(account, { return_url, refresh_url }) {
      const { url, expires_at } = await calling(() =>
        client.accountLinks.create({
          account,
          // The provider refuses `account_update` for accounts with a dashboard of its own.
          type: 'account_onboarding',
          collection_options: { fields: 'eventually_due' },
          return_url,
          refresh_url,
        }),
      );
      return { url, expires_at: isoOf(expires_at) };
    },
    async dashboardLink(id) {
      const { url } = await calling(() => client.accounts.createLoginLink(id));
      return { url, expires_at: new Date(now() + DASHBOARD_MS).toISOString() };
    },
  };
}
