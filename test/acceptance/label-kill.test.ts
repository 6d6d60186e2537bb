/**
 * `kill -9` after a carrier has sold a label and before the service has recorded it: the label is neither lost nor
 * bought again, whether the seller repeats the request or the worker finishes it.
 */
import { afterAll, expect, test } from 'vitest';
import { CARRIER_ENV, FAULTS, startCarrierServer } from '../support/carrier-server.ts';
import { INTERNAL_TOKEN, type Member, prepareCluster } from '../support/cluster.ts';
import { eventually } from '../support/feeds.ts';
import { testDatabase } from '../support/pg.ts';

const carrier = await startCarrierServer();
afterAll(() => carrier.stop());
const database = await testDatabase();
const cluster = await prepareCluster(database.url);
const start = (): Promise<Member> =>
  cluster.start({
    ...CARRIER_ENV,
    CARRIER_API_BASE_URL: carrier.url,
    CARRIER_API_TIMEOUT_MS: '1000',
    RATE_LIMITS: 'off',
    LOG_LEVEL: 'warn',
  });
/** Longer than the time after which another process takes over a purchase. */
const TAKEN_OVER_MS = 60_000;

let member = await start();
const { token } = await cluster.seller(member, 'Small');

interface Answer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}
async function call(
  url: string,
  method: string,
  bearer: string,
  body?: object,
  key?: string,
): Promise<Answer> {
  const response = await fetch(url, {
    method,
    headers: {
      authorization: `Bearer ${bearer}`,
      'content-type': 'application/json',
      ...(key === undefined ? {} : { 'idempotency-key': key }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: (await response.json()) as Answer['body'] };
}
const post = (path: string, body: object, key: string): Promise<Answer> =>
  call(`${member.api}${path}`, 'POST', token, body, key);
const { seller_id } = (
  await call(`${member.api}/sellers/me`, 'PATCH', token, {
    dispatch_address: { line1: '2 St', city: 'Sydney', state: 'NSW', postcode: '2000', country: 'AU' },
  })
).body;

/** The path of a parcel that waits for its label. */
async function packed(order: string): Promise<string> {
  const data = {
    order_number: order,
    currency: 'AUD',
    ship_to: { name: 'Mia', line1: '1 St', city: 'Sydney', state: 'NSW', postcode: '2000', country: 'AU' },
    lines: [{ kind: 'item', title: 'Mug', quantity: 1, unit_price_minor: 2_499 }],
  };
  const event = { specversion: '1.0', id: order, source: '/label-kill', subject: order, sellerid: seller_id };
  const type = 'marketplace.order.placed';
  const time = '2026-06-28T01:00:00Z';
  await call(`${member.internalUrl}/internal/v1/events`, 'POST', INTERNAL_TOKEN, {
    ...event,
    type,
    time,
    data,
  });
  await post(`/orders/${order}/accept`, {}, `accept-${order}`);
  const packages = [{ weight_g: 1_000, length_mm: 100, width_mm: 100, height_mm: 100 }];
  const { body } = await post(`/orders/${order}/shipments`, { packages }, `pack-${order}`);
  return `/orders/${order}/shipments/${body['shipment_id']}/label`;
}
const buy = (path: string): Promise<Answer> =>
  post(path, { carrier: 'australia_post', service: 'parcel_post' }, `buy-${path}`);

interface Sent {
  readonly shipments: readonly { readonly label: { readonly label_id: string } | null }[];
}
const labelOf = async (order: string): Promise<string | undefined> => {
  const { body } = await call(`${member.api}/orders/${order}`, 'GET', token);
  return (body as Partial<Sent>).shipments?.[0]?.label?.label_id;
};

test('two labels are bought, and the process is killed before it has the answers', async () => {
  const [first, second] = [await packed('ord_first'), await packed('ord_second')];
  carrier.deliver = () => FAULTS['silence'] ?? (() => undefined);
  const lost = Promise.allSettled([buy(first), buy(second)]);
  await eventually(
    async () => carrier.shipments.size,
    (size) => size === 2,
  );
  await member.end('SIGKILL');
  expect((await lost).map(({ status }) => status)).toEqual(['rejected', 'rejected']);

  carrier.deliver = (answer) => answer;
  member = await start();
  const again = await eventually(
    () => buy(first),
    ({ body }) => body['code'] !== 'idempotency_in_progress',
    TAKEN_OVER_MS,
  );
  expect(again.status, JSON.stringify(again.body)).toBe(201);
  const byWorker = await eventually(
    () => labelOf('ord_second'),
    (label) => label !== undefined,
    TAKEN_OVER_MS,
  );
  const names = [...carrier.shipments.values()].map(({ shipment_reference }) => shipment_reference);
  expect(names.sort()).toEqual([await labelOf('ord_first'), byWorker].sort());
  expect((await buy(second)).body).toMatchObject({ label: { label_id: byWorker } });
});
