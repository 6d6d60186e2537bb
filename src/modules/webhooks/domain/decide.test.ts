import { describe, expect, test } from 'vitest';
import { decide, type Outcome } from './decide.ts';

const NOW = Date.parse('2026-06-28T01:00:00Z');
const decided = (outcome: Outcome, more: { step?: number; once?: boolean } = {}) =>
  decide(outcome, { schedule: [0, 10, 100], step: 1, now: NOW, random: 0.5, once: false, ...more });

test.each([200, 201, 204, 299])('%i is a success with any headers', (status) => {
  expect(decided({ status, headers: { 'webhook-delivery': 'abort-message' } })).toEqual({
    status: 'succeeded',
    reason: null,
    nextAt: null,
    error: null,
    endpoint: 'healthy',
  });
});

test.each([
  [{ status: 500 }, 'http_status'],
  [{ status: 404 }, 'http_status'],
  [{ status: 302 }, 'redirect_refused'],
  [{ error: 'timeout' }, 'timeout'],
] as const)('%j is tried again', (outcome, error) => {
  expect(decided(outcome)).toMatchObject({
    status: 'pending',
    nextAt: NOW + 10_000,
    error,
    endpoint: 'failing',
  });
});

test.each([{ status: 204 }, { status: 500 }, { status: 410 }, { error: 'timeout' }])(
  'a test event that ends with %j says nothing about its endpoint',
  (outcome) => expect(decided(outcome, { once: true }).endpoint).toBe('neutral'),
);

test('the last attempt of the schedule is the last', () => {
  expect(decided({ status: 500 }, { step: 3 })).toMatchObject({
    status: 'failed',
    reason: 'exhausted',
    nextAt: null,
    endpoint: 'failing',
  });
});

describe('Retry-After', () => {
  test.each([429, 503])('of %i is honoured', (status) => {
    expect(decided({ status, headers: { 'retry-after': '60' } }).nextAt).toBe(NOW + 60_000);
  });
  test('is ignored with other statuses', () => {
    expect(decided({ status: 500, headers: { 'retry-after': '60' } }).nextAt).toBe(NOW + 10_000);
  });
});

test('410 keeps the delivery for a resume, even after the last attempt', () => {
  expect(decided({ status: 410 })).toMatchObject({ status: 'pending', endpoint: 'gone' });
  expect(decided({ status: 410 }, { step: 3 })).toMatchObject({ status: 'pending', endpoint: 'gone' });
});

test('abort-message ends the delivery and does not count as failing', () => {
  const headers = { 'webhook-delivery': 'abort-message' };
  expect(decided({ status: 422, headers })).toMatchObject({
    status: 'failed',
    reason: 'aborted',
    endpoint: 'neutral',
  });
});

test('410 with abort-message ends the delivery and disables the endpoint', () => {
  const headers = { 'webhook-delivery': 'abort-message' };
  expect(decided({ status: 410, headers })).toMatchObject({ reason: 'aborted', endpoint: 'gone' });
});

test('a test event is sent once and says nothing about the endpoint', () => {
  for (const status of [500, 410])
    expect(decided({ status }, { once: true })).toMatchObject({
      status: 'failed',
      reason: 'exhausted',
      endpoint: 'neutral',
    });
});
