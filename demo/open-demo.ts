/** The demo marketplace as the start of the service uses it: its sign-in, its past, its trade and its greeting. */
import type { App } from '../src/app.ts';
import type { Config } from '../src/config.ts';
import type { Clock } from '../src/kernel/context.ts';
import type { MarketplaceIdentityProvider } from '../src/platform/build-services.ts';
import { createKeys } from '../src/platform/crypto/keys.ts';
import type { PastClock } from '../src/platform/db/clock.ts';
import { greeting } from './greeting.ts';
import type { SendEvent } from './identity/routes.ts';
import { startDemoMarketplace } from './identity/start-demo-marketplace.ts';
import { PAST_OWNER } from './past/past-shop.ts';
import { openPayoutAccount, replayPast } from './past/replay-past.ts';
import { openProvider } from './payment-provider/open-provider.ts';
import { openStores } from './store-platform/open-stores.ts';
import type { Past } from './trade/plan-trade.ts';
import { startTrade, type Trade } from './trade/start-trade.ts';

export interface ServiceUrls {
  readonly internalUrl: string;
  /** Absent in a worker. */
  readonly apiUrl: string | undefined;
}

export interface Demo {
  readonly provider: MarketplaceIdentityProvider;
  /** Settings of the service that follow from the demo: it pays through its provider and reaches its stores. */
  readonly settings: Readonly<Record<string, unknown>>;
  /** Replays the past in a new database; before the ports open, because the clock runs through past days. */
  replayPast(app: App, clock: PastClock, print: (line: string) => void, signal: AbortSignal): Promise<void>;
  /** Lets the demo marketplace change plans, approve products, place orders and deliver parcels; DEMO_TRADE=off leaves the plans. */
  startTrade(app: App, urls: ServiceUrls): Promise<Trade | undefined>;
  /** What to try first, in four lines; undefined in a worker, which has no API. */
  greeting(urls: ServiceUrls): string | undefined;
  stop(): Promise<void>;
}

const EVENT_TIMEOUT_MS = 10_000;

/** The token with which the demo marketplace calls the internal listener. */
async function internalTokenOf(config: Config): Promise<string> {
  const { internalToken } = await createKeys(config);
  return internalToken.split(',', 1)[0]?.trim() ?? '';
}

/** Sends one event to the internal listener. */
const eventSender =
  (internalUrl: string, token: string): SendEvent =>
  async (event) => {
    const response = await fetch(`${internalUrl}/internal/v1/events`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify([event]),
      signal: AbortSignal.timeout(EVENT_TIMEOUT_MS),
    });
    const { results } = (await response.json()) as { results?: Awaited<ReturnType<SendEvent>>[] };
    return results?.[0] ?? { status: 'rejected', code: `status_${response.status}` };
  };

/** Whether the demo has a past and a payment provider: one process does all the work, on the system's clock. */
const trades = ({ DEMO_TRADE, CLOCK, ROLE }: Config): boolean =>
  DEMO_TRADE === 'on' && CLOCK === 'system' && ROLE === 'all';

/**
 * Opens the port of the demo marketplace.
 *
 * @param now the service's clock
 * @throws the listen error when DEMO_PORT is taken
 */
export async function openDemo(config: Config, now: Clock): Promise<Demo> {
  const { DEMO_PORT: port, DATA_DIR: dataDir, DEMO_PAST_DAYS: days, DEMO_TRADE } = config;
  const marketplace = await startDemoMarketplace({ port, dataDir, now });
  const { issuer, audience, jwksUrl } = marketplace;
  const session = (email: string): Promise<string> => marketplace.mint({ email });
  let past: Past | undefined;
  const payments = trades(config) ? await openProvider(dataDir, now) : undefined;
  const stores = await openStores(config, now);
  return {
    provider: { issuer, audience, jwksUrl },
    settings: { ...payments?.settings, ...stores?.settings },
    async replayPast({ services, due, api, internal }, clock, print, signal) {
      if (payments === undefined) return;
      const internalToken = await internalTokenOf(config);
      past = await replayPast({
        ...{ services, clock, due, api, internal, internalToken },
        ...{ session: () => session(PAST_OWNER), days, signal, print },
      });
      if (past === undefined) return;
      payments.vouchFor(past.sellerId);
      await openPayoutAccount({ api, services, session: () => session(PAST_OWNER) });
    },
    async startTrade({ services: { now, log } }, urls) {
      const internalToken = await internalTokenOf(config);
      const { apiUrl } = urls;
      marketplace.connect(
        eventSender(urls.internalUrl, internalToken),
        apiUrl === undefined
          ? undefined
          : (startUrl) => stores?.install(startUrl, apiUrl) ?? Promise.reject(new Error('no demo stores')),
      );
      if (DEMO_TRADE === 'off') return undefined;
      if (urls.apiUrl !== undefined) payments?.callBack(urls.apiUrl);
      if (urls.apiUrl !== undefined && past !== undefined)
        stores?.live({ apiUrl: urls.apiUrl, session: () => session(PAST_OWNER), now, log });
      return startTrade({ ...urls, internalToken, now, log, past, session, book: payments?.book });
    },
    greeting: ({ apiUrl }) =>
      apiUrl === undefined ? undefined : greeting({ api: apiUrl, demo: marketplace.url }, past !== undefined),
    async stop() {
      await Promise.all([marketplace.stop(), payments?.stop(), stores?.stop()]);
    },
  };
}
