/** The payment provider of the demo marketplace: it remembers its accounts below DATA_DIR and calls back by itself. */
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '../../src/kernel/context.ts';
import type { CloudEvent } from '../demo-event.ts';
import { book } from './book-event.ts';
import { BANKS } from './life.ts';
import { type PaymentProvider, startPaymentProvider } from './start-payment-provider.ts';
import type { State } from './state.ts';

const CALL_BACK_MS = 1_000;
/** More than the demo ever pays. */
const FUNDS = 1_000_000_000;

interface DemoProvider {
  /** The settings with which the service pays through it. */
  readonly settings: Readonly<Record<string, unknown>>;
  /** Opens the accounts of a seller as one that can be paid. */
  vouchFor(sellerId: string): void;
  /** Notes what an event of the marketplace moves of the platform's money. */
  book(event: CloudEvent): void;
  /** Calls back from now on. @param apiUrl address of the sellers' API */
  callBack(apiUrl: string): void;
  stop(): Promise<void>;
}

const secret = (prefix: string): string => `${prefix}_${randomBytes(18).toString('hex')}`;

export async function openProvider(dataDir: string, now: Clock): Promise<DemoProvider> {
  const file = join(dataDir, 'payment-provider.json');
  const known = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as State) : undefined;
  const apiKey = secret('sk_test');
  const secrets = [secret('whsec'), secret('whsec')] as const;
  const provider: PaymentProvider = await startPaymentProvider({
    ...{ port: 0, now, apiKey, secrets, funds: FUNDS, state: known },
    save: (state) => {
      mkdirSync(dataDir, { recursive: true });
      // A kill must not leave half of the file.
      writeFileSync(`${file}.new`, JSON.stringify(state));
      renameSync(`${file}.new`, file);
    },
  });
  let timer: NodeJS.Timeout | undefined;
  return {
    settings: {
      PAYMENT_PROVIDER: 'stripe',
      PAYMENT_PROVIDER_API_KEY: apiKey,
      PAYMENT_PROVIDER_WEBHOOK_SECRETS: secrets,
      PAYMENT_PROVIDER_API_BASE: provider.url,
    },
    vouchFor: (sellerId) => provider.vouchFor(sellerId, BANKS.works),
    book: (event) => book(provider.life, event),
    callBack(apiUrl) {
      const sendLater = (): void => {
        timer = setTimeout(() => {
          provider.sendEvents(`${apiUrl}/api/v1/webhooks/stripe`).then(sendLater, sendLater);
        }, CALL_BACK_MS);
      };
      sendLater();
    },
    stop() {
      clearTimeout(timer);
      return provider.stop();
    },
  };
}
