import { describe, expect, test } from 'vitest';
import { signBody, signQuery } from '../../../../demo/store-platform/sign.ts';
import { isSignedBody, isSignedQuery } from './signatures.ts';

const BODY =
  '{"inventory_item_id":271878346596884015,"location_id":24826418,"available":6,"updated_at":"2026-07-01T10:00:05+10:00"}';
const SIGNATURE = 'zFvkJO/8xziNVF+68BrpHnmS9aUb6xR2dqpPtLlvY6c=';
const SECRETS = ['another', 'store-secret-1'];

describe('the signature of a body', () => {
  const bytes = Buffer.from(BODY);

  test('is that of the published vector, with any of the secrets', () => {
    expect(isSignedBody(SECRETS, bytes, SIGNATURE)).toBe(true);
    expect(signBody('store-secret-1', BODY)).toBe(SIGNATURE);
    expect(isSignedBody(['another'], bytes, SIGNATURE)).toBe(false);
    expect(isSignedBody(SECRETS, Buffer.concat([bytes, Buffer.from('\n')]), SIGNATURE)).toBe(false);
  });

  test.each([
    ['missing', undefined],
    ['empty', ''],
    ['without padding', SIGNATURE.slice(0, -1)],
    ['in the alphabet of addresses', SIGNATURE.replaceAll('/', '_').replaceAll('+', '-')],
    ['in hexadecimal digits', Buffer.from(SIGNATURE, 'base64').toString('hex')],
    ['with a blank', `${SIGNATURE} `],
    ['sent twice', `${SIGNATURE}, ${SIGNATURE}`],
    ['a list', [SIGNATURE, SIGNATURE]],
    ['another spelling of the same bytes', SIGNATURE.replace('c=', 'd=')],
  ])('%s is refused', (_, header) => {
    expect(isSignedBody(SECRETS, bytes, header)).toBe(false);
  });
});

describe('the signature of a query', () => {
  const vector = {
    code: '0907a61c0c8d55e99db179b68161bc00',
    shop: 'some-shop.myshopify.com',
    state: '0.6784241404160823',
    timestamp: '1337178173',
    hmac: '700e2dadb827fcc8609e9d5ce208b2e9cdaab9df07390d2cbca10d7c328fc4bf',
  };

  const { hmac, ...others } = vector;

  test('is that of the published vector', () => {
    expect(isSignedQuery(['hush'], vector)).toBe(true);
    expect(signQuery('hush', others).get('hmac')).toBe(hmac);
  });

  test('keeps a value from looking like another parameter', () => {
    const signed = Object.fromEntries(signQuery('hush', { ...others, host: 'YQ==', state: 'a&shop=b c' }));
    expect(isSignedQuery(['hush'], signed)).toBe(true);
    expect(isSignedQuery(['hush'], { ...signed, state: 'a', shop: 'b c' })).toBe(false);
  });

  test('covers each parameter, added ones too', () => {
    expect(isSignedQuery(['hush'], { ...vector, shop: 'some-shop2.myshopify.com' })).toBe(false);
    expect(isSignedQuery(['hush'], { ...vector, extra: '1' })).toBe(false);
    expect(isSignedQuery(['hush'], { ...vector, hmac: vector.hmac.toUpperCase() })).toBe(false);
    expect(isSignedQuery(['hush'], { ...vector, hmac: '' })).toBe(false);
    expect(isSignedQuery(['other'], vector)).toBe(false);
  });
});
