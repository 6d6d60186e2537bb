/** The jobs of payouts. They have work only if the provider sends money itself. */
import { nextTimeOfDay } from '../../kernel/australia/sydney.ts';
import { acting } from '../../platform/acting.ts';
import { defineJob, runAgain } from '../../platform/jobs/define-job.ts';
import type { Services } from '../../platform/services.ts';
import { holdBySource, sellersHeldBy } from '../settlements/index.ts';
import { FOLLOW_EVERY_MS, FOLLOW_WAITING_MS } from './actions/account-view.ts';
import { fetchAccount, REMIND_JOB, remindOfAccount } from './actions/payout-account.ts';
import { providerInUse, stripeOf } from './actions/providers.ts';
import { reportTransactions } from './actions/report-transactions.ts';
import { beginDue, follow, TRANSFER_JOB, transfer } from './actions/send-due.ts';
import { type PayoutProvider, STRIPE } from './adapters/provider.ts';
import { callbackWorker } from './intake/provider-callbacks.ts';
import { accountsToFollow } from './store/accounts.ts';

/** In Sydney, on the morning of the day on which payouts are expected. */
const SEND_TIME = { hour: 6, minute: 0 };
const REPORT_TIME = { hour: 4, minute: 0 };
const HOUR_MS = 3_600_000;
const WEEK_MS = 7 * 24 * HOUR_MS;
const ACCOUNTS_AT_ONCE = 500;

/** The provider that may have begun payouts before another one was configured. Without its key they wait. */
const sendingProvider = async (services: Services): Promise<Pick<PayoutProvider, 'name' | 'transfers'>> =>
  (await stripeOf(services)) ?? { name: STRIPE.name, transfers: null };

/** Reads accounts from which no callback has come for long. */
async function followAccounts(services: Services, { accounts }: PayoutProvider): Promise<void> {
  if (accounts == null) return;
  const { now, log, withSystemLong } = services;
  const before = (ms: number): string => new Date(now() - ms).toISOString();
  const found = await withSystemLong('jobs', 'read', (db) =>
    accountsToFollow(db, before(FOLLOW_WAITING_MS), before(WEEK_MS), ACCOUNTS_AT_ONCE),
  );
  for (const { seller_id } of found)
    await fetchAccount(services, accounts, seller_id).catch((error: Error) =>
      log.warn({ err: error.message, seller_id }, 'a payout account could not be read'),
    );
}

/** Without a provider its holds end: the marketplace pays to accounts that it knows itself. */
async function releaseHolds(services: Services): Promise<void> {
  const { withSystemLong, withSellerLong } = services;
  for (const { seller_id } of await withSystemLong('jobs', 'read', (db) => sellersHeldBy(db, 'provider')))
    await withSellerLong(seller_id, 'write', (db) =>
      holdBySource(acting(services, { db, seller_id }), 'provider', []),
    );
}

export const payoutJobs = [
  callbackWorker,
  defineJob({
    kind: 'payouts.send_due',
    recurring: true,
    async handler(services) {
      const provider = await providerInUse(services);
      if (provider.transfers === null) {
        await releaseHolds(services);
        return undefined;
      }
      const { failed } = await beginDue(services, provider);
      const againAt = nextTimeOfDay(services.now(), SEND_TIME);
      return { againAt: failed === 0 ? againAt : Math.min(againAt, runAgain(services, HOUR_MS).againAt) };
    },
  }),
  defineJob({
    kind: TRANSFER_JOB,
    recurring: false,
    async handler(services, { seller_id, payload }) {
      const provider = await sendingProvider(services);
      await transfer(services, provider, seller_id ?? '', String(payload['payout_id']));
      return undefined;
    },
  }),
  defineJob({
    kind: 'payouts.follow',
    recurring: true,
    async handler(services) {
      const stripe = await stripeOf(services);
      if (stripe !== undefined) await followAccounts(services, stripe);
      await follow(services, await sendingProvider(services));
      return stripe && runAgain(services, FOLLOW_EVERY_MS);
    },
  }),
  defineJob({
    kind: 'payouts.report_transactions',
    recurring: true,
    async handler(services) {
      const provider = await providerInUse(services);
      if (provider.transactions == null) return undefined;
      await reportTransactions(services, provider);
      return { againAt: nextTimeOfDay(services.now(), REPORT_TIME) };
    },
  }),
  defineJob({
    kind: REMIND_JOB,
    recurring: false,
    async handler(services, { seller_id, payload }) {
      const sellerId = seller_id ?? '';
      await services.withSellerLong(sellerId, 'write', (db) =>
        remindOfAccount(acting(services, { db, seller_id: sellerId }), String(payload['deadline'])),
      );
      return undefined;
    },
  }),
];
