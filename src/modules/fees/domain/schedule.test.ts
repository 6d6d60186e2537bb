import { describe, expect, test } from 'vitest';
import { DEFAULT_SCHEDULE, type FeeSchedule, rateOfLine } from './schedule.ts';

const schedule: FeeSchedule = {
  ...DEFAULT_SCHEDULE,
  platform_fee_default_bps: 900,
  shipping_fee_bps: 500,
  category_overrides: [
    { category: 'Electronics', bps: 1_250 },
    { category: 'electronics > Audio', bps: 1_100 },
    { category: ' / ', bps: 1 },
  ],
};
const item = (category: string | null, platform_fee_bps: number | null = null) =>
  rateOfLine(schedule, { kind: 'item', category, platform_fee_bps });

describe('the platform fee of a line', () => {
  test('is the rate of the order if it has one, also for shipping and also zero', () => {
    expect(item('Electronics', 700)).toEqual({ platform_fee_bps: 700, source: 'order' });
    expect(rateOfLine(schedule, { kind: 'shipping', category: null, platform_fee_bps: 0 })).toEqual({
      platform_fee_bps: 0,
      source: 'order',
    });
  });

  test('of shipping is the shipping rate, for any category', () => {
    expect(
      rateOfLine(schedule, { kind: 'shipping', category: 'Electronics', platform_fee_bps: null }),
    ).toEqual({ platform_fee_bps: 500, source: 'shipping' });
  });

  test.each([
    ['Electronics', 1_250, 'category'],
    ['ELECTRONICS / cables', 1_250, 'category'],
    ['electronics > audio > Headphones', 1_100, 'category'],
    ['electronics>AUDIO', 1_100, 'category'],
    ['Électronics', 1_250, 'category'],
    ['Elec\u00adtronics\u200b', 1_250, 'category'],
    // A category matches whole levels, not the beginning of a name.
    ['Electronics supplies', 900, 'default'],
    ['Home > Electronics', 900, 'default'],
    ['', 900, 'default'],
    [null, 900, 'default'],
  ] as const)('of category %j is %i, by the %s', (category, platform_fee_bps, source) => {
    expect(item(category)).toEqual({ platform_fee_bps, source });
  });
});
