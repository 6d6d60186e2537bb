import { createHmac } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { isSigned, targetOf } from './callback.ts';

const T = 1_782_871_200;
const NOW = T * 1000;
const BODY = Buffer.from('{"id":"evt_1","object":"event"}');
/** Of the secret whsec_demo. */
const VECTOR = 'b0fe949ef423aab657d77123fecd2e2cf1c452066062609a039d21d73d889efc';
const SECRETS = ['whsec_other', 'whsec_demo'];
const sign = (seconds: number | string, secret = 'whsec_demo') =>
  createHmac('sha256', secret).update(`${seconds}.`).update(BODY).digest('hex');
const isRight = (header: string, now = NOW, bytes = BODY, secrets = SECRETS) =>
  isSigned(header, bytes, secrets, now);

describe('a signature', () => {
  test('is that of the vector, under any secret, among others, and from 300 s before to 300 s after', () => {
    expect(sign(T)).toBe(VECTOR);
    expect(isRight(`t=${T},v1=${VECTOR}`)).toBe(true);
    expect(isRight(`t=${T},v1=${'0'.repeat(64)},v1=${VECTOR},v0=x`)).toBe(true);
    expect(isRight(`t=${T},v1=${sign(T, 'whsec_other')}`)).toBe(true);
    for (const seconds of [T - 300, T - 299, T + 299, T + 300])
      expect(isRight(`t=${seconds},v1=${sign(seconds)}`)).toBe(true);
  });

  test.each([
    ['too old', `t=${T - 301},v1=${sign(T - 301)}`],
    ['from the future', `t=${T + 301},v1=${sign(T + 301)}`],
    ['with two instants', `t=${T},t=${T},v1=${VECTOR}`],
    ['without an instant', `v1=${VECTOR}`],
    ['with an instant of 13 digits', `t=${'0'.repeat(3)}${T},v1=${sign(`000${T}`)}`],
    ['with a sign before the instant', `t=+${T},v1=${VECTOR}`],
    ['of another scheme only', `t=${T},v0=${VECTOR}`],
    ['in upper case', `t=${T},v1=${VECTOR.toUpperCase()}`],
    ['that is cut', `t=${T},v1=${VECTOR.slice(1)}`],
    ['of another secret', `t=${T},v1=${sign(T, 'whsec_unknown')}`],
    ['with a space', `t=${T}, v1=${VECTOR}`],
    ['among 20,000', `t=${T},${`v1=${'0'.repeat(64)},`.repeat(20_000)}v1=${VECTOR}`],
    ['that is empty', ''],
  ])('%s is refused', (_, header) => {
    expect(isRight(header)).toBe(false);
  });

  test('covers the bytes as they were sent', () => {
    expect(isRight(`t=${T},v1=${VECTOR}`, NOW, Buffer.from('{"id": "evt_1", "object": "event"}'))).toBe(
      false,
    );
    expect(isRight(`t=${T},v1=${VECTOR}`, NOW, BODY, [])).toBe(false);
  });
});

test.each([
  ['account.updated', 'account'],
  ['account.external_account.deleted', 'account'],
  ['account.application.deauthorized', 'account'],
  ['capability.updated', 'account'],
  ['payout.failed', 'payout'],
  ['transfer.reversed', 'transfer'],
  ['transfer.created', 'unsupported'],
  ['charge.dispute.created', 'recorded'],
  ['refund.updated', 'recorded'],
  ['balance.available', 'recorded'],
  ['customer.created', 'unsupported'],
])('%s: %s', (type, target) => {
  expect(targetOf(type)).toBe(target);
});
