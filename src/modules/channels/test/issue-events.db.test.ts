/** The events about issues: one an hour for each kind and channel, with their number. */
import { expect, test } from 'vitest';
import { eventually } from '../../../../test/support/feeds.ts';
import { callInternal } from '../../../../test/support/internal.ts';
import { connectStore, startStores } from '../../../../test/support/store-platform.ts';
import { changeChannel } from '../actions/ask-store.ts';
import { openIssue, resolveIssue } from '../actions/issues.ts';

const stores = await startStores({
  CLOCK: 'manual',
  CLOCK_START: '2026-07-01T00:00:00.000Z',
  LOG_LEVEL: 'silent',
});
const { services } = stores.app;
const later = (minutes: number) =>
  callInternal(stores, 'POST', '/internal/v1/clock', {
    body: { now: new Date(services.now() + minutes * 60_000).toISOString() },
  });

async function connected() {
  const seller = await stores.seller();
  const { channel_id } = await connectStore(stores, seller);
  const key = { seller_id: seller.seller_id, channel_id };
  const issueOf = (item: number) =>
    ({ channel_id, kind: 'unknown_inventory_item', external_key: `item:${item}` }) as const;
  const open = (...items: number[]) =>
    changeChannel(services, key, async (ctx) => {
      for (const item of items) await openIssue(ctx, issueOf(item), { inventory_item_id: String(item) });
    });
  const resolve = (item: number) =>
    changeChannel(services, key, (ctx) => resolveIssue(ctx, issueOf(item), 'item_known'));
  /** The numbers and the items of the events, once there are so many. */
  const told = async (count: number) => {
    const one = await seller.renew();
    const { body } = await eventually(
      () =>
        one.call<{ data: { data: { object: { count: number; facts: { inventory_item_id: string } } } }[] }>(
          'GET',
          '/webhooks/events?types=integration_issue.opened',
        ),
      (answer) => answer.body.data.length >= count,
    );
    return body.data.map(({ data: { object } }) => [object.count, Number(object.facts.inventory_item_id)]);
  };
  const notified = async () => {
    const { body } = await (await seller.renew()).call<{ data: { severity: string; type: string }[] }>(
      'GET',
      '/notifications',
    );
    return body.data.filter(({ type }) => type === 'integration_issue.opened');
  };
  return { seller, open, resolve, told, notified };
}

test('the first issue is told at once, and those of the next hour together', async () => {
  const { open, told, notified } = await connected();
  await open(1, 2, 3);
  expect(await told(1)).toEqual([[1, 1]]);
  await later(30);
  await open(4);
  // Seen again, it is no new issue.
  await open(4);
  await later(31);
  expect(await told(2)).toEqual([
    [1, 1],
    [3, 4],
  ]);
  await later(120);
  await open(5);
  expect((await told(3)).at(-1)).toEqual([1, 5]);
  const severities = (await notified()).map(({ severity }) => severity);
  expect(new Set(severities)).toEqual(new Set(['warning']));
});

test('issues that were resolved within the hour are not told', async () => {
  const { open, resolve, told } = await connected();
  await open(1, 2);
  await resolve(2);
  await resolve(1);
  await later(61);
  expect(await told(1)).toEqual([[1, 1]]);
});

test('an issue that opens again is told again', async () => {
  const { open, resolve, told } = await connected();
  await open(1);
  await resolve(1);
  await open(1);
  await later(61);
  expect(await told(2)).toEqual([
    [1, 1],
    [1, 1],
  ]);
});
