import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { startTestApp } from '../../../../test/support/app.ts';
import { DEFAULT_SCHEDULE } from '../domain/schedule.ts';
import { allSchedules, scheduleAt, scheduleOfOrder } from '../store/schedules.ts';

const app = await startTestApp();
const seller = await app.seller();

const rates = {
  version: '2026-07',
  effective_from: '2026-07-01',
  platform_fee_default_bps: 900,
  category_overrides: [{ category: 'electronics', bps: 1250 }],
  shipping_fee_bps: 500,
  loyalty_program_fund_bps: 100,
  seller_order_fee_minor: 25,
  dispute_fee_minor: 2000,
};
const publish = async (data: object, time: string, more: object = {}) => {
  const [result] = await app.events({
    specversion: '1.0',
    id: randomUUID(),
    source: '/marketplace/core',
    type: 'marketplace.fee_schedule.published',
    subject: null,
    time,
    data,
    ...more,
  });
  return [result?.status, result?.code];
};
/** As a seller's request reads it. */
const at = (date: string, currency = 'AUD') =>
  app.app.services.withSeller(seller.seller_id, 'read', (db) => scheduleAt(db, currency, date));

test('schedules count from their day on, in any order of their events', async () => {
  expect(await at('2026-07-01')).toEqual(DEFAULT_SCHEDULE);
  const september = { ...rates, version: '2026-09', effective_from: '2026-09-01', shipping_fee_bps: 600 };
  expect(await publish(september, '2026-08-01T00:00:00Z')).toEqual(['applied', undefined]);
  expect(await publish(rates, '2026-06-01T00:00:00Z', { subject: '2026-07' })).toEqual([
    'applied',
    undefined,
  ]);
  expect(await at('2026-06-30')).toEqual(DEFAULT_SCHEDULE);
  expect(await at('2026-07-01')).toEqual({
    ...rates,
    currency: 'AUD',
    seller_order_fee_minor: 25n,
    dispute_fee_minor: 2_000n,
    published_at: '2026-06-01T00:00:00.000Z',
  });
  expect((await at('2026-08-31'))?.version).toBe('2026-07');
  expect((await at('2027-01-01'))?.version).toBe('2026-09');
  // Of two schedules for one day, the one that was published later counts.
  const better = { ...rates, version: 'A-better', platform_fee_default_bps: 800 };
  await publish(better, '2026-06-02T00:00:00Z');
  expect((await at('2026-07-15'))?.version).toBe('A-better');
  const all = await app.app.services.withSystem('jobs', 'read', allSchedules);
  expect(all.map(({ version }) => version)).toEqual(['default', '2026-07', 'A-better', '2026-09']);
});

test('a version never changes', async () => {
  const own = { ...rates, version: 'fixed', effective_from: '2030-01-01' };
  expect(await publish(own, '2026-06-01T00:00:00Z')).toEqual(['applied', undefined]);
  expect(await publish(own, '2026-06-03T00:00:00Z')).toEqual(['stale', undefined]);
  expect(await publish({ ...own, shipping_fee_bps: 501 }, '2026-06-03T00:00:00Z')).toEqual([
    'rejected',
    'invalid_transition',
  ]);
  expect((await at('2030-01-01'))?.shipping_fee_bps).toBe(500);
});

test.each([
  ['another version in the subject', rates, { subject: '2026-08' }],
  ['the name of the default', { ...rates, version: 'default' }, {}],
  ['a day before all days', { ...rates, version: 'x', effective_from: '0000-01-01' }, {}],
  ['a rate of more than everything', { ...rates, version: 'x', shipping_fee_bps: 10_001 }, {}],
  [
    'a category with two rates, in two spellings',
    {
      ...rates,
      version: 'x',
      category_overrides: [
        { category: 'Home > Kitchen', bps: 900 },
        { category: 'home/kitchen/', bps: 800 },
      ],
    },
    {},
  ],
  ...[' \u0020', '\t', '\u00a0', ' \u200b', '\u00ad '].map((gap): [string, object, object] => [
    `a category with two rates, with ${JSON.stringify(gap)} between its words`,
    {
      ...rates,
      version: 'x',
      category_overrides: [
        { category: 'Home Kitchen', bps: 900 },
        { category: `Home${gap}Kitchen`, bps: 800 },
      ],
    },
    {},
  ]),
  [
    'a category twice with one rate',
    { ...rates, version: 'x', category_overrides: Array(2).fill({ category: 'toys', bps: 900 }) },
    {},
  ],
  [
    'a category without a name',
    { ...rates, version: 'x', category_overrides: [{ category: ' > ', bps: 900 }] },
    {},
  ],
])('%s is refused', async (_what, data, more) => {
  expect(await publish(data, '2026-06-01T00:00:00Z', more)).toEqual(['rejected', 'data_invalid']);
});

test('a schedule counts for its currency only', async () => {
  const ofOrder = (day: string) =>
    app.app.services.withSeller(seller.seller_id, 'read', (db) => scheduleOfOrder(db, 'EUR', day));
  // An order that was placed before schedules had a currency.
  expect(await ofOrder('2026-01-01')).toMatchObject({ version: 'default', seller_order_fee_minor: 0n });
  const euro = { ...rates, version: 'eur', currency: 'EUR', effective_from: '2026-01-01' };
  expect(await at('2026-01-01', 'EUR')).toBeUndefined();
  expect(await publish(euro, '2026-06-01T00:00:00Z')).toEqual(['applied', undefined]);
  expect(await at('2025-12-31', 'EUR')).toBeUndefined();
  expect(await ofOrder('2025-12-31')).toMatchObject({ version: 'eur' });
  expect(await at('2026-01-01', 'EUR')).toMatchObject({ version: 'eur', currency: 'EUR' });
  expect((await at('2026-01-01'))?.version).toBe('default');
  expect(await publish({ ...euro, currency: 'USD' }, '2026-06-01T00:00:00Z')).toEqual([
    'rejected',
    'invalid_transition',
  ]);
  for (const currency of ['EUX', 'XXX', 'XAU', 'BGN'])
    expect(await publish({ ...euro, version: currency, currency }, '2026-06-01T00:00:00Z')).toEqual([
      'rejected',
      'currency_unknown',
    ]);
});
