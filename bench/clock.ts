/**
 * Far moves of the manual clock: ten years of an empty database, a year of ten sellers who do nothing, and a year in
 * which each of them gets an order every day. The design sets the limits (docs/design/wire.md#manual-clock), because a
 * demonstration or a test must not wait longer.
 */
import { randomUUID } from 'node:crypto';
import type { BenchOptions } from './lab/options.ts';
import { makeSellers, type Seller } from './lab/sellers.ts';
import { inTemporaryDirectory, type Service, startService } from './lab/service.ts';
import { heading, milliseconds, report, whole } from './lab/statistics.ts';
import { postInternal, tell } from './lab/tell.ts';

const SELLERS = 10;
const DAY_MS = 86_400_000;
/** Sessions of the demo marketplace follow the machine's time, so the sellers register before the clock moves. */
const START = Date.now();
const ENV = {
  ...{ CLOCK: 'manual', CLOCK_START: new Date(START).toISOString() },
  ...{ OPERATOR_LEGAL_NAME: 'Bench Market Pty Ltd', OPERATOR_ABN: '51824753556' },
};
const AIMS = { empty: 5_000, year: 60_000 } as const;

const isoOf = (at: number): string => new Date(at).toISOString();

async function moveTo(service: Service, at: number): Promise<{ readonly ms: number; readonly jobs: number }> {
  let jobs = 0;
  const ms = await milliseconds(async () => {
    jobs = Number((await postInternal(service, 'clock', { now: isoOf(at) }))['jobs_run']);
  });
  return { ms, jobs };
}

/** The events of an order of a shop with its own courier: it is placed, paid and delivered on the same day. */
function orderEvents({ seller_id }: Seller, at: number): object[] {
  const order_id = `ord_${randomUUID().replaceAll('-', '')}`;
  const event = (type: string, data: object, after = 0) => ({
    specversion: '1.0',
    id: randomUUID(),
    source: '/bench',
    type: `marketplace.${type}`,
    subject: order_id,
    sellerid: seller_id,
    time: isoOf(at + after),
    data,
  });
  const charge = { charge_id: `ch_${order_id}`, captured_minor: 2_499, provider_fee_minor: 55 };
  return [
    event('order.placed', {
      order_number: order_id.slice(-8),
      currency: 'AUD',
      placed_at: isoOf(at),
      ship_to: { name: 'Mia', line1: '1 St', city: 'Sydney', state: 'NSW', postcode: '2000', country: 'AU' },
      lines: [{ kind: 'item', title: 'Mug', quantity: 1, unit_price_minor: 2_499 }],
    }),
    event('order.payment_captured', charge, 1_000),
    event('order.delivered', { delivered_at: isoOf(at) }, 2_000),
  ];
}

function print(name: string, { ms, jobs }: { ms: number; jobs: number }, aim: number): void {
  report({
    name,
    figure: `${(ms / 1_000).toFixed(1)} s, ${whole(jobs)} jobs`,
    limit: `${(aim / 1_000).toFixed(0)} s`,
    ratio: (ms / aim).toFixed(2),
    aim: '<= 1',
  });
}

/** @param options a quick run moves the clock by a month */
export async function benchClock({ quick }: BenchOptions): Promise<void> {
  const days = quick ? 30 : 365;
  const share = days / 365;
  heading(`Moves of the manual clock, ${SELLERS} sellers, ${days} days`);
  await inTemporaryDirectory(async (dir) => {
    const service = await startService(dir, { env: ENV });
    try {
      const decade = await moveTo(service, START + 3_650 * DAY_MS);
      print('ten years of an empty database', decade, AIMS.empty);
      await moveTo(service, Date.now());
      const sellers = await makeSellers(service, SELLERS);
      print('without orders', await moveTo(service, START + days * DAY_MS), AIMS.year * share);
      const busy = { ms: 0, jobs: 0 };
      for (let day = 0; day < days; day += 1) {
        const at = START + (days + day) * DAY_MS;
        const events = sellers.flatMap((seller) => orderEvents(seller, at));
        await tell(service, events);
        const { ms, jobs } = await moveTo(service, at + DAY_MS);
        busy.ms += ms;
        busy.jobs += jobs;
      }
      print('with an order a day for each seller', busy, AIMS.year * share);
    } finally {
      await service.stop();
    }
  });
}
