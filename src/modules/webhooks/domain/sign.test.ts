import { Webhook, WebhookVerificationError } from 'standardwebhooks';
import { expect, test } from 'vitest';
import { newSecret, signedHeaders, signingKey } from './sign.ts';

const BODY = '{"id":"evt_1","data":{"object":{"title":"Tëapot ☕"}}}';
const now = () => Math.floor(Date.now() / 1000);
const headers = (secrets: readonly string[], seconds = now(), body = BODY) =>
  signedHeaders('dlv_01j0000000000000000000000', seconds, body, secrets.map(signingKey));

test('the reference library accepts our signatures', () => {
  const secret = newSecret();
  expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
  expect(new Webhook(secret).verify(BODY, headers([secret]))).toEqual(JSON.parse(BODY));
});

test('the published example of the standard has its published signature', () => {
  const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
  const body = '{"test": 2432232314}';
  const signed = signedHeaders('msg_p5jXN8AQM9LWM0D4loKWxJek', 1_614_265_330, body, [signingKey(secret)]);
  expect(signed['webhook-signature']).toBe('v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=');
});

test('while a secret is replaced both the old and the new one verify', () => {
  const [fresh, old] = [newSecret(), newSecret()];
  const signed = headers([fresh, old]);
  expect(signed['webhook-signature']?.split(' ')).toHaveLength(2);
  for (const secret of [fresh, old]) expect(() => new Webhook(secret).verify(BODY, signed)).not.toThrow();
});

test.each([
  ['another secret', headers([newSecret()]), BODY],
  ['another body', undefined, `${BODY} `],
  ['an old timestamp', 301, BODY],
])('the reference library refuses %s', (_, change, body) => {
  const secret = newSecret();
  const signed =
    typeof change === 'number' ? headers([secret], now() - change) : (change ?? headers([secret]));
  expect(() => new Webhook(secret).verify(body, signed)).toThrow(WebhookVerificationError);
});
