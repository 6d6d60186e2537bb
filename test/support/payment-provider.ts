/** The service with the local payment provider: sellers with accounts, settlements that are due, callbacks. */

import type { DestinationStream } from 'pino';
import { acts, BANKS } from '../../demo/payment-provider/life.ts';
import {
  type PaymentProvider,
  startPaymentProvider,
} from '../../demo/payment-provider/start-payment-provider.ts';
import { startTestApp, type TestApp, type TestSeller } from './app.ts';
import { atEnd } from './at-end.ts';
import { callInternal } from './internal.ts';
import { afterJobs } from './jobs.ts';
import { bookkeeper } from './settlements.ts';
import { runOn } from './test-server.ts';

export const RETURN_URL = 'http://127.0.0.1:3000/payouts';
export const API_KEY = 'sk_test_local_1234567890';
export const SECRETS = ['whsec_platform', 'whsec_connected'] as const;

export interface Payout {
  readonly payout_id: string;
  readonly settlement_id: string;
  readonly attempt: number;
  readonly status: string;
  readonly failure_code: string | null;
  readonly provider_payout_id: string | null;
  readonly provider_transfer_id: string | null;
  readonly destination: { readonly last4: string } | null;
}

export interface Stage {
  readonly app: TestApp;
  readonly provider: PaymentProvider;
  /** Where the provider calls back. */
  readonly receiver: string;
  rows<Row extends object>(text: string, values?: readonly unknown[]): Promise<Row[]>;
  moveTo(now: string): Promise<void>;
  /** Lets the provider send what it has to say, until nothing waits on either side. */
  callBack(): Promise<void>;
  /** A seller whose account can be paid. */
  paidSeller(bank?: string): Promise<TestSeller & { readonly account: string }>;
  /** Posts an amount that the next settlement pays. */
  earn(seller: TestSeller, amount: number, day?: string): Promise<unknown>;
  payouts(seller: TestSeller): Promise<Payout[]>;
}

/** Starts both, at 20 June 2026. The settlement of June is due on 1 July at 06:00 in Sydney. */
export async function paymentStage(
  env: Readonly<Record<string, string>> = {},
  output?: DestinationStream,
): Promise<Stage> {
  let now: () => number = () => Date.parse('2026-06-20T00:00:00Z');
  const provider = await startPaymentProvider({
    ...{ port: 0, now: () => now(), apiKey: API_KEY, secrets: SECRETS, funds: 100_000_000 },
  });
  atEnd(() => provider.stop());
  const settings = {
    ...{ CLOCK: 'manual', CLOCK_START: '2026-06-20T00:00:00.000Z', LOG_LEVEL: 'silent' },
    ...{ PAYMENT_PROVIDER: 'stripe', PAYMENT_PROVIDER_API_KEY: API_KEY },
    ...{ PAYMENT_PROVIDER_WEBHOOK_SECRETS: SECRETS.join(','), PAYMENT_PROVIDER_API_BASE: provider.url },
    ...env,
  };
  const app = await startTestApp(settings, output);
  now = app.app.services.now;
  const receiver = `${app.url}/api/v1/webhooks/stripe`;
  const rows = <Row extends object>(text: string, values: readonly unknown[] = []): Promise<Row[]> =>
    runOn(app.database.adminUrl, async (client) => (await client.query<Row>(text, [...values])).rows);
  const waiting = () => rows('select from provider_callback where decision is null');
  const callBack = async (): Promise<void> => {
    do {
      await provider.sendEvents(receiver);
      await afterJobs(app, waiting, (found) => found.length === 0);
    } while (provider.life.state.unsent.length > 0);
  };
  return {
    ...{ app, provider, receiver, rows, callBack },
    moveTo: async (to) => {
      const { status } = await callInternal(app, 'POST', '/internal/v1/clock', { body: { now: to } });
      if (status !== 200) throw new Error(`clock: ${status}`);
    },
    async paidSeller(bank = BANKS.works) {
      const seller = await app.seller();
      const json = { return_url: RETURN_URL };
      await seller.call('POST', '/payouts/onboarding-links', { json });
      const own = ({ metadata }: { metadata: Readonly<Record<string, string>> }) =>
        metadata['seller_id'] === seller.seller_id;
      const account = Object.values(provider.life.state.accounts).find(own);
      if (account === undefined) throw new Error('no account was opened');
      acts.submit(provider.life, account.id, 'June', bank);
      account.stage = 'active';
      acts.changeBank(provider.life, account.id, bank);
      await callBack();
      return { ...seller, account: account.id };
    },
    earn: (seller, amount, day = '2026-06-19') =>
      bookkeeper(app, seller.seller_id).post(day, [{ amount, type: 'manual_adjustment' }]),
    async payouts(seller) {
      const renewed = await seller.renew();
      const { body } = await renewed.call<{ data: Payout[] }>('GET', '/payments/payouts');
      return body.data.toSorted((a, b) => a.attempt - b.attempt);
    },
  };
}
