/** Figures of a settlement, its outcome and its id. */
import { describe, expect, test } from 'vitest';
import { minor } from '../../../kernel/money.ts';
import {
  type ByType,
  feeComponentsOf,
  figuresOf,
  openPeriodOf,
  outcomeOf,
  settlementIdOf,
} from './settlement.ts';

const sums = (amounts: Record<string, number>): ByType =>
  Object.fromEntries(
    Object.entries(amounts).map(([type, amount]) => [type, { lines: 1, amount_minor: minor(amount) }]),
  );
const figures = (opening: number, amounts: Record<string, number>, minimum = 100) =>
  figuresOf(minor(opening), sums(amounts), minor(minimum));

describe('the figures of a period', () => {
  test('net is gross less fees and adjustments; a reserve changes the payable amount, not the net', () => {
    const made = figures(-500, {
      sale: 10_000,
      platform_fee: -1_000,
      platform_fee_credit: 100,
      refund: -2_000,
      reserve_hold: -600,
    });
    expect(made).toEqual({
      opening_balance_minor: -500n,
      gross_amount_minor: 10_000n,
      fees_minor: 900n,
      adjustments_minor: -2_000n,
      net_amount_minor: 7_100n,
      reserve_change_minor: -600n,
      payable_amount_minor: 6_000n,
      payout_amount_minor: 6_000n,
      closing_balance_minor: 0n,
    });
  });

  test.each([
    ['exactly the smallest payout', 100, 100, 100n, 0n],
    ['a cent less', 99, 100, 0n, 99n],
    ['nothing, and no smallest payout', 0, 0, 0n, 0n],
    ['a debt, and no smallest payout', -1, 0, 0n, -1n],
    ['a cent, and no smallest payout', 1, 0, 1n, 0n],
  ])('%s', (_what, payable, minimum, payout, closing) => {
    const made = figures(0, { sale: payable }, minimum);
    expect([made.payout_amount_minor, made.closing_balance_minor]).toEqual([payout, closing]);
  });

  test('fees of disputes are payment processing; credits and their reversals are separate', () => {
    const parts = feeComponentsOf(
      sums({
        payment_processing: -534,
        dispute_fee: -5_000,
        dispute_fee_credit: 2_500,
        platform_fee_credit_reversal: -100,
      }),
    );
    expect(parts).toMatchObject({
      payment_processing_minor: 5_534n,
      fee_credits_minor: 2_400n,
      platform_fee_minor: 0n,
    });
  });
});

describe('the outcome of a period', () => {
  test.each([
    ['ready', null, 0, 500, 3, []],
    ['on_hold', null, 0, 500, 3, ['risk_review']],
    ['carried_forward', 'below_minimum', 0, 50, 1, []],
    ['carried_forward', 'negative', 0, -50, 1, ['risk_review']],
    ['carried_forward', 'below_minimum', 40, 0, 0, []],
    ['no_activity', null, 0, 0, 0, ['risk_review']],
    // Lines that sum to zero are still lines.
    ['carried_forward', 'below_minimum', 0, 0, 2, []],
  ] as const)('%s %s', (status, carry_reason, opening, sale, lines, holds) => {
    expect(outcomeOf(figures(opening, { sale }), lines, holds)).toEqual({ status, carry_reason });
  });
});

test('the first period has the first line; each next one begins where the last ended, under any schedule', () => {
  const state = { currency: 'AUD', closed_through: null, balance_minor: 0n, first_on: '2026-06-30' };
  expect(openPeriodOf(state, 'semi_monthly')).toEqual({ start: '2026-06-16', end: '2026-06-30' });
  const closed = { ...state, closed_through: '2026-07-15' };
  expect(openPeriodOf(closed, 'semi_monthly')).toEqual({ start: '2026-07-16', end: '2026-07-31' });
  expect(openPeriodOf(closed, 'weekly_cut_at_month_end')).toEqual({ start: '2026-07-16', end: '2026-07-19' });
});

test('an id follows from seller, currency and first day, and reveals none of them', () => {
  const id = settlementIdOf('slr_1', 'AUD', '2026-07-01');
  expect(id).toMatch(/^stl_[0-9a-hjkmnp-tv-z]{26}$/);
  expect(settlementIdOf('slr_1', 'AUD', '2026-07-01')).toBe(id);
  const others = [
    settlementIdOf('slr_2', 'AUD', '2026-07-01'),
    settlementIdOf('slr_1', 'NZD', '2026-07-01'),
    settlementIdOf('slr_1', 'AUD', '2026-07-16'),
  ];
  expect(new Set([id, ...others]).size).toBe(4);
});
