/** The demo marketplace as the start of the service uses it: its sign-in, its past, its trade and its walk-through. */
import type { App } from '../src/app.ts';
import type { Config } from '../src/config.ts';
import type { Clock } from '../src/kernel/context.ts';
import type { MarketplaceIdentityProvider } from '../src/platform/build-services.ts';
import { createKeys } from '../src/platform/crypto/keys.ts';
import type { PastClock } from '../src/platform/db/clock.ts';
import { startDemoMarketplace } from './identity/start-demo-marketplace.ts';
import { PAST_OWNER } from './past/past-shop.ts';
import { replayPast } from './past/replay-past.ts';
import type { Past } from './trade/plan-trade.ts';
import { startTrade, type Trade } from './trade/start-trade.ts';
import { walkThrough } from './walk-through.ts';

export interface ServiceUrls {
  readonly internalUrl: string;
  /** Absent in a worker. */
  readonly apiUrl: string | undefined;
}

export interface Demo {
  readonly provider: MarketplaceIdentityProvider;
  /** Replays the past in a new database; before the ports open, because the clock runs through past days. */
  replayPast(app: App, clock: PastClock, print: (line: string) => void, signal: AbortSignal): Promise<void>;
  /** Starts to approve products, place orders and deliver parcels, unless DEMO_TRADE is off. */
  startTrade(app: App, urls: ServiceUrls): Promise<Trade | undefined>;
  /** The walk-through to print; undefined in a worker, which has no API. */
  walkThrough(urls: ServiceUrls): string | undefined;
  stop(): Promise<void>;
}

/** The token with which the demo marketplace calls the internal listener. */
async function internalTokenOf(config: Config): Promise<string> {
  const { internalToken } = await createKeys(config);
  return internalToken.split(',', 1)[0]?.trim() ?? '';
}

/**
 * Opens the port of the demo marketplace.
 *
 * @param now the service's clock
 * @throws the listen error when DEMO_PORT is taken
 */
export async function openDemo(config: Config, now: Clock): Promise<Demo> {
  const { DEMO_PORT: port, DATA_DIR: dataDir, DEMO_PAST_DAYS: days, DEMO_TRADE, CLOCK, ROLE } = config;
  const marketplace = await startDemoMarketplace({ port, dataDir, now });
  const { issuer, audience, jwksUrl } = marketplace;
  const session = (email: string): Promise<string> => marketplace.mint({ email });
  let past: Past | undefined;
  return {
    provider: { issuer, audience, jwksUrl },
    async replayPast({ services, due, api, internal }, clock, print, signal) {
      if (DEMO_TRADE === 'off' || CLOCK === 'manual' || ROLE !== 'all') return;
      const internalToken = await internalTokenOf(config);
      past = await replayPast({
        ...{ services, clock, due, api, internal, internalToken },
        ...{ session: () => session(PAST_OWNER), days, signal, print },
      });
    },
    async startTrade({ services: { now, log } }, urls) {
      if (DEMO_TRADE === 'off') return undefined;
      const internalToken = await internalTokenOf(config);
      return startTrade({ ...urls, internalToken, now, log, past, session });
    },
    walkThrough: ({ apiUrl, internalUrl }) =>
      apiUrl === undefined
        ? undefined
        : walkThrough({
            apiUrl,
            internalUrl,
            demoUrl: marketplace.url,
            dataDir,
            hasPast: past !== undefined,
          }),
    stop: marketplace.stop,
  };
}
