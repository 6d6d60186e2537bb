import { describe, expect, test } from 'vitest';
import { minor } from '../../../kernel/money.ts';
import { compareFees, type Posted, type Sold } from './compare.ts';
import { DEFAULT_SCHEDULE, type OrderRates } from './schedule.ts';

const line = (type: string, amount: number, more: Partial<Posted> = {}): Posted => ({
  type,
  component: type.replace(/_credit(_reversal)?$/, '').replace('dispute_fee', 'payment_processing'),
  bucket: 'fees',
  order_line_id: 'l1',
  related_id: null,
  amount: minor(amount),
  ...more,
});
const sold = (more: Partial<Sold> = {}): Sold => ({
  order_id: 'o',
  loyalty: false,
  shared: false,
  fee_captured: true,
  lines: [{ order_line_id: 'l1', kind: 'item', category: null, gross: minor(5_985), net: minor(5_985) }],
  terms: null,
  ...more,
});
const terms = (more: Partial<OrderRates> = {}): OrderRates => ({
  fee_schedule_version: 'default',
  loyalty_program_fund_bps: 200,
  seller_order_fee_minor: minor(30),
  line_rates: [{ order_line_id: 'l1', platform_fee_bps: 1_000, source: 'default' }],
  ...more,
});
const SALE = line('sale', 5_985);
const CHARGED = [SALE, line('platform_fee', -599), line('seller_order_fee', -30)];

function componentOf(name: string, facts: Sold, posted: readonly Posted[], frozen = DEFAULT_SCHEDULE) {
  const found = compareFees(facts, DEFAULT_SCHEDULE, frozen, posted).components.find(
    ({ component }) => component === name,
  );
  if (found === undefined) throw new Error(`no ${name}`);
  return { ...found, causes: Object.fromEntries(found.causes.map(({ cause, amount }) => [cause, amount])) };
}
const platform = (facts: Sold, posted: readonly Posted[], frozen = DEFAULT_SCHEDULE) =>
  componentOf('platform_fee', facts, posted, frozen);

describe('the platform fee', () => {
  test('as published has no variance', () => {
    expect(platform(sold(), CHARGED)).toEqual({
      component: 'platform_fee',
      estimated: 599n,
      actual: 599n,
      variance: 0n,
      causes: {},
    });
  });

  test('is lowered by a discount', () => {
    const facts = sold({
      lines: [{ order_line_id: 'l1', kind: 'item', category: null, gross: minor(6_985), net: minor(5_985) }],
    });
    expect(platform(facts, CHARGED)).toMatchObject({
      estimated: 699n,
      variance: -100n,
      causes: { discount: -100n },
    });
  });

  test('differs after a schedule that is newer than the order', () => {
    const frozen = { ...DEFAULT_SCHEDULE, version: 'b', platform_fee_default_bps: 1_100 };
    const facts = sold({
      terms: terms({ line_rates: [{ order_line_id: 'l1', platform_fee_bps: 1_100, source: 'default' }] }),
    });
    const posted = [SALE, line('platform_fee', -658)];
    expect(platform(facts, posted, frozen)).toMatchObject({ variance: 59n, causes: { rate_changed: 59n } });
  });

  test('differs by a rate that the marketplace has stated', () => {
    const facts = sold({
      terms: terms({ line_rates: [{ order_line_id: 'l1', platform_fee_bps: 800, source: 'order' }] }),
    });
    expect(platform(facts, [SALE, line('platform_fee', -479)])).toMatchObject({
      causes: { rate_changed: -120n },
    });
  });

  test('differs by another category than the line has now', () => {
    const facts = sold({
      terms: terms({ line_rates: [{ order_line_id: 'l1', platform_fee_bps: 1_250, source: 'category' }] }),
    });
    expect(platform(facts, [SALE, line('platform_fee', -748)])).toMatchObject({
      causes: { category_changed: 149n },
    });
  });

  test('counts the credits of refunds and disputes', () => {
    const posted = [
      ...CHARGED,
      line('refund', -1_995, { related_id: 'rf_1', bucket: 'adjustments', component: 'adjustments' }),
      line('platform_fee_credit', 200, { related_id: 'rf_1' }),
      line('chargeback', -3_990, { related_id: 'dp_1', bucket: 'adjustments', component: 'adjustments' }),
      line('platform_fee_credit', 399, { related_id: 'dp_1' }),
    ];
    expect(platform(sold(), posted)).toMatchObject({
      actual: 0n,
      variance: -599n,
      causes: { refund_credit: -200n, dispute: -399n },
    });
  });

  test('of a partial delivery is compared for that part', () => {
    const posted = [line('sale', 1_995), line('platform_fee', -200)];
    expect(platform(sold(), posted)).toMatchObject({ estimated: 200n, actual: 200n, variance: 0n });
  });

  test('of an order that is not delivered is expected only', () => {
    expect(compareFees(sold(), DEFAULT_SCHEDULE, DEFAULT_SCHEDULE, []).basis).toBe('ordered');
    expect(platform(sold(), [])).toMatchObject({ estimated: 599n, actual: null, variance: null });
  });
});

describe('the other components', () => {
  test('payment processing is never estimated; shared charges and disputes are named', () => {
    const posted = [
      ...CHARGED,
      line('payment_processing', -68),
      line('dispute_fee', -2_500, { related_id: 'dp_1' }),
    ];
    expect(componentOf('payment_processing', sold({ shared: true }), posted)).toEqual({
      component: 'payment_processing',
      estimated: null,
      actual: 2_568n,
      variance: null,
      causes: { shared_processing: 68n, dispute: 2_500n },
    });
  });

  test('payment processing that was not captured is not zero', () => {
    expect(componentOf('payment_processing', sold({ fee_captured: false }), CHARGED).actual).toBeNull();
  });

  test('the loyalty program charges items only, and only of orders that take part', () => {
    expect(componentOf('loyalty_program_fund', sold(), CHARGED)).toMatchObject({
      estimated: 0n,
      variance: 0n,
    });
    const posted = [...CHARGED, line('loyalty_program_fund', -120)];
    expect(componentOf('loyalty_program_fund', sold({ loyalty: true }), posted)).toMatchObject({
      estimated: 120n,
      variance: 0n,
    });
  });

  test('the order fee is the one that was frozen', () => {
    const posted = [SALE, line('seller_order_fee', -50)];
    expect(
      componentOf('seller_order_fee', sold({ terms: terms({ seller_order_fee_minor: minor(50) }) }), posted),
    ).toMatchObject({ variance: 20n, causes: { rate_changed: 20n } });
  });
});
