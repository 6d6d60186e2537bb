import { expect, test } from 'vitest';
import { readConfig } from '../../config.ts';
import { payoutSettings } from './settings.ts';

/** What is wrong with these settings of the module; production needs settings of others too. */
function problems(env: Readonly<Record<string, string>>): string[] {
  try {
    readConfig(env, [payoutSettings]);
    return [];
  } catch (error) {
    return [...(error as Error).message.matchAll(/PAYMENT_PROVIDER\w*: [^\n]+/g)].map(([text]) => text);
  }
}
const STRIPE = { PAYMENT_PROVIDER: 'stripe', PAYMENT_PROVIDER_WEBHOOK_SECRETS: 'whsec_1,whsec_2' };
const TEST_KEY = { PAYMENT_PROVIDER_API_KEY: 'sk_test_1' };
const PRODUCTION = { APP_ENV: 'production' };

test('the marketplace pays itself unless a provider is named', () => {
  expect(payoutSettings.of(readConfig({}, [payoutSettings])).PAYMENT_PROVIDER).toBe('manual');
  expect(problems({ PAYMENT_PROVIDER: 'paypal' })).toEqual([expect.stringContaining('manual | stripe')]);
});

test('the provider needs a key and the secrets of its callbacks', () => {
  expect(problems({ PAYMENT_PROVIDER: 'stripe' })).toEqual([
    'PAYMENT_PROVIDER_API_KEY: missing; PAYMENT_PROVIDER is stripe',
    'PAYMENT_PROVIDER_WEBHOOK_SECRETS: missing; PAYMENT_PROVIDER is stripe',
  ]);
  expect(problems({ ...STRIPE, ...TEST_KEY })).toEqual([]);
});

test.each(['sk_test_1', 'rk_test_1'])('production refuses the test key %s', (key) => {
  const env = { ...STRIPE, ...PRODUCTION, PAYMENT_PROVIDER_API_KEY: key };
  expect(problems(env)).toEqual([
    'PAYMENT_PROVIDER_API_KEY: a test key is refused in production; allowed: a live key',
  ]);
  // It pays what an earlier provider began.
  expect(problems({ ...env, PAYMENT_PROVIDER: 'manual' })).toHaveLength(1);
  expect(problems({ ...env, PAYMENT_PROVIDER_API_KEY: key.replace('test', 'live') })).toEqual([]);
});
