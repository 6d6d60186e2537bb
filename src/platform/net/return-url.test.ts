import { expect, test } from 'vitest';
import { ApiError } from '../../kernel/errors.ts';
import { requireReturnUrl } from './return-url.ts';

const at = (APP_ENV: 'development' | 'staging' | 'production', ...RETURN_URL_ORIGINS: string[]) => ({
  APP_ENV,
  RETURN_URL_ORIGINS,
});
const shop = at('production', 'https://good.example', 'https://other.example:8443');

const refusalOf = (config: ReturnType<typeof at>, address: string): unknown => {
  try {
    return requireReturnUrl(config, 'return_url', address);
  } catch (error) {
    return error instanceof ApiError && error.status === 422 ? error.body['detail'] : error;
  }
};
const REFUSED = [expect.objectContaining({ loc: ['body', 'return_url'], type: 'return_url_not_allowed' })];

test('an https address of a listed origin is allowed, as it was parsed', () => {
  expect(refusalOf(shop, 'https://good.example/back?x=1')).toBe('https://good.example/back?x=1');
  expect(refusalOf(shop, 'HTTPS://GOOD.example:443/a/../b')).toBe('https://good.example/b');
  expect(refusalOf(shop, 'https://other.example:8443/')).toBe('https://other.example:8443/');
});

test.each([
  'https://good.example.evil.com/',
  'https://evil.com/?https://good.example',
  'https://user:secret@good.example/',
  'https://good.example@evil.com/',
  'https://good.example/#part',
  'https://good.example/#',
  'http://good.example/',
  'http://127.0.0.1:3000/',
  'https://other.example/',
  'javascript:alert(1)',
  '/back',
  '',
])('%s is refused at its field', (address) => {
  expect(refusalOf(shop, address)).toEqual(REFUSED);
});

test('outside production http on loopback may be listed; in development loopback is the default', () => {
  expect(refusalOf(at('staging', 'http://localhost:3000'), 'http://localhost:3000/x')).toContain('/x');
  expect(refusalOf(at('staging'), 'http://localhost:3000/x')).toEqual(REFUSED);
  for (const host of ['127.0.0.1:5173', 'localhost', '[::1]:3000'])
    expect(refusalOf(at('development'), `http://${host}/x`)).toContain('/x');
  expect(refusalOf(at('development'), 'https://good.example/')).toEqual(REFUSED);
  expect(refusalOf(at('development', 'https://good.example'), 'http://localhost/')).toEqual(REFUSED);
});
