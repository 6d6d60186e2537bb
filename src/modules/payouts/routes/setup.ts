/** The seller's account with the payment provider, and the provider's pages. */

import Type from 'typebox';
import { defineErrors, fail, invalid } from '../../../kernel/errors.ts';
import { Instant, Page } from '../../../kernel/schema.ts';
import type { Waiting } from '../../../kernel/waiting.ts';
import { defineRoute, okJson } from '../../../platform/http/define-route.ts';
import { requireReturnUrl } from '../../../platform/net/return-url.ts';
import { reads, writes } from '../../../platform/rest/access.ts';
import { PAGE_EXAMPLE } from '../../../platform/rest/page-route.ts';
import type { HandlerCtx } from '../../../platform/services.ts';
import { accountView } from '../actions/account-view.ts';
import { type Effects, openAccount, refreshAccount, takeAccount } from '../actions/payout-account.ts';
import { providerFacts, providerInUse } from '../actions/providers.ts';
import { type ProviderAccounts, ProviderRefused, ProviderUnavailable } from '../adapters/provider.ts';
import { waitingOf } from '../domain/account-status.ts';
import { ACCOUNT_EXAMPLE, AccountSchema, REQUIREMENT_EXAMPLE, Requirement } from '../schemas/account.ts';
import { type AccountRow, factsOf, findAccount } from '../store/accounts.ts';

const errors = defineErrors({
  payout_onboarding_unavailable: {
    status: 409,
    detail: 'The marketplace pays settlements itself: there is no provider’s page to open.',
    facts: { provider: 'manual' },
  },
  payout_account_closed: {
    status: 409,
    detail: 'The payment provider has closed the account; contact the marketplace.',
  },
  payout_account_refused: {
    status: 409,
    detail:
      'The payment provider has opened no account with the e-mail address of the owner. Correct the address with the marketplace, then ask for a link again; if it is right, contact the marketplace.',
    facts: { provider_code: 'email_invalid' },
  },
  payout_account_incomplete: {
    status: 409,
    detail: 'The account is not finished; open an onboarding link first.',
    facts: { ...waitingOf('not_started', undefined) },
  },
  provider_unavailable: {
    status: 503,
    detail: 'The payment provider does not answer now; retry after the seconds in Retry-After.',
  },
});

const RETRY_AFTER_S = 30;
/** The provider is asked again at most so often. */
const REFRESH_MS = 30_000;
const read = reads('finance');
/** A link is a secret of minutes, so it is not kept under an Idempotency-Key. */
const write = { ...writes('finance'), idempotency: 'none' } as const;

const account = defineRoute({
  id: 'payouts.account.get',
  method: 'GET',
  path: '/account',
  summary: 'Read how the seller is paid, and what keeps payouts back',
  description: 'Shows the provider, the destination, the schedule and the open requirements.',
  access: read,
  cache: 'no-store',
  ok: okJson('The setup', AccountSchema, ACCOUNT_EXAMPLE),
  errors: [],
  handler: async (ctx) => ({ body: await accountView(ctx) }),
});

const requirements = defineRoute({
  id: 'payouts.requirements.list',
  method: 'GET',
  path: '/requirements',
  summary: 'What keeps payouts back',
  description: 'Each entry has its cause, the settlement it keeps back, who acts next, and where.',
  access: read,
  cache: 'no-store',
  ok: okJson('All requirements', Page(Requirement), { data: [REQUIREMENT_EXAMPLE], page: PAGE_EXAMPLE }),
  errors: [],
  handler: async (ctx) => ({ body: { data: (await accountView(ctx)).requirements, page: PAGE_EXAMPLE } }),
});

const Link = Type.Object(
  { url: Type.String({ description: 'Page of the provider; valid once' }), expires_at: Instant() },
  { title: 'ProviderLink', description: 'A link to a page of the provider.' },
);
const LINK = {
  status: 201,
  description: 'The link',
  schema: Link,
  example: { url: 'https://provider.example/onboarding/x', expires_at: '2026-07-16T01:05:00.000Z' },
} as const;

const closed = (cause: ProviderRefused) => fail(errors.payout_account_closed, { cause });
const notOpened = (cause: ProviderRefused) =>
  fail(errors.payout_account_refused, { facts: { provider_code: cause.code }, cause });

/** @param refusal what a refusal of the provider means @throws ApiError 503, 409 */
async function answered<T>(call: () => Promise<T>, refusal = closed): Promise<T> {
  try {
    return await call();
  } catch (error) {
    if (error instanceof ProviderUnavailable)
      throw fail(errors.provider_unavailable, {
        headers: { 'retry-after': String(RETRY_AFTER_S) },
        cause: error,
      });
    if (error instanceof ProviderRefused) throw refusal(error);
    throw error;
  }
}

async function requireAccounts({ services }: HandlerCtx): Promise<{
  readonly name: string;
  readonly accounts: ProviderAccounts;
}> {
  const { name, accounts } = await providerInUse(services);
  if (accounts != null) return { name, accounts };
  throw fail(errors.payout_onboarding_unavailable, {
    facts: { provider: providerFacts(services.config).name },
  });
}

/** Writes the entry of the activity log in the transaction of the effect. */
const recorded =
  (ctx: HandlerCtx, status: number): Effects =>
  (effect) =>
    ctx.longTransaction('write', async (db) => {
      const made = await effect(ctx.in(db));
      await ctx.record(db, { status });
      return made;
    });

const ReturnUrl = Type.String({ maxLength: 2_000, description: 'Where the browser goes afterwards' });

const onboardingLink = defineRoute({
  id: 'payouts.onboarding_links.create',
  method: 'POST',
  path: '/onboarding-links',
  summary: 'Make a link to the provider’s onboarding',
  description:
    'Opens the account if there is none. The page asks for what the provider needs; identity and bank data are typed there. The marketplace’s own payouts have no page: the answer is 409.',
  access: write,
  tx: 'own',
  cache: 'no-store',
  body: {
    kind: 'json',
    schema: Type.Object(
      {
        return_url: Type.Optional(ReturnUrl),
        refresh_url: Type.Optional(
          Type.String({
            maxLength: 2_000,
            description: 'Where a link that has expired leads; default: `return_url`',
          }),
        ),
      },
      { title: 'OnboardingLinkRequest', description: 'Where the provider’s page sends the browser.' },
    ),
    example: { return_url: 'https://shop.example/settings/payouts' },
  },
  ok: [LINK],
  errors: [
    errors.payout_onboarding_unavailable,
    errors.payout_account_refused,
    errors.payout_account_closed,
    errors.provider_unavailable,
  ],
  handler: async (ctx, { body }) => {
    const provider = await requireAccounts(ctx);
    const { services, seller_id: sellerId } = ctx;
    const { config } = services;
    const { return_url: given } = body;
    if (given === undefined)
      throw invalid([{ loc: ['body', 'return_url'], msg: 'Field required', type: 'missing' }]);
    const return_url = requireReturnUrl(config, 'return_url', given);
    const refresh_url =
      body.refresh_url === undefined ? return_url : requireReturnUrl(config, 'refresh_url', body.refresh_url);
    const row = await ctx.transaction('read', (db) => findAccount({ db, seller_id: sellerId }));
    const facts = row && factsOf(row);
    if (facts?.gone === true || facts?.disabled_reason?.startsWith('rejected') === true)
      throw fail(errors.payout_account_closed);
    const id =
      row?.provider_account_id ??
      (await answered(() => openAccount(services, { ...provider, sellerId }), notOpened));
    const link = await answered(async () => {
      const made = await provider.accounts.onboardingLink(id, { return_url, refresh_url });
      if (row === undefined) await takeAccount(services, provider, id, recorded(ctx, 201));
      return made;
    });
    return { body: link };
  },
});

const dashboardLink = defineRoute({
  id: 'payouts.dashboard_links.create',
  method: 'POST',
  path: '/dashboard-links',
  summary: 'Make a link to the provider’s dashboard',
  description:
    'The page shows the account with the provider. The marketplace’s own payouts have no page: the answer is 409.',
  access: write,
  tx: 'own',
  cache: 'no-store',
  ok: [LINK],
  errors: [
    errors.payout_onboarding_unavailable,
    errors.payout_account_incomplete,
    errors.payout_account_closed,
    errors.provider_unavailable,
  ],
  handler: async (ctx) => {
    const { accounts } = await requireAccounts(ctx);
    const row = await ctx.transaction('read', (db) => findAccount({ db, seller_id: ctx.seller_id }));
    if (row === undefined || !row.submitted)
      throw incomplete(waitingOf(row === undefined ? 'not_started' : 'in_progress', undefined));
    return { body: await answered(() => accounts.dashboardLink(row.provider_account_id)) };
  },
});

const incomplete = ({ waiting_on, action }: Waiting) =>
  fail(errors.payout_account_incomplete, { facts: { waiting_on, action } });

const refresh = defineRoute({
  id: 'payouts.account.check',
  method: 'POST',
  path: '/account/refresh',
  summary: 'Ask the provider about the account now',
  description:
    'The account follows the provider automatically. This asks once more, at most every 30 seconds; otherwise the answer is as stored. Requests at the same time share the question.',
  access: write,
  tx: 'own',
  cache: 'no-store',
  ok: okJson('The account', AccountSchema, ACCOUNT_EXAMPLE),
  errors: [errors.provider_unavailable],
  handler: async (ctx, { signal }) => {
    const { services, seller_id } = ctx;
    const { accounts } = await providerInUse(services);
    const isOld = (row: AccountRow): boolean => ctx.now() - Date.parse(row.fetched_at) >= REFRESH_MS;
    const how = { isOld, effects: recorded(ctx, 200), signal };
    if (accounts != null) await answered(() => refreshAccount(services, accounts, seller_id, how));
    return { body: await ctx.transaction('snapshot', (db) => accountView(ctx.in(db))) };
  },
});

export const setupRoutes = [account, requirements, onboardingLink, dashboardLink, refresh];
