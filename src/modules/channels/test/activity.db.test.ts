/** What the activity log says about connections. */
import { expect, test } from 'vitest';
import { untilJobsRest } from '../../../../test/support/jobs.ts';
import { decided } from '../../../../test/support/store-deliveries.ts';
import {
  Browser,
  begin,
  connectStore,
  newShop,
  startStores,
} from '../../../../test/support/store-platform.ts';
import { runOn } from '../../../../test/support/test-server.ts';

const stores = await startStores();

const entriesOf = (sellerId: string) =>
  runOn(stores.database.adminUrl, async (client) => {
    const { rows } = await client.query<Record<string, unknown>>(
      `select action, actor_kind, actor_id, target_id, result, code, changed_fields
         from audit_entry where seller_id = $1 and action !~ '^(auth|sellers|marketplace)' order by audit_id`,
      [sellerId],
    );
    return rows;
  });

test('who connected and disconnected a store, and what the store changed', async () => {
  const seller = await stores.seller();
  const { channel_id, shop } = await connectStore(stores, seller);
  // A check of the start would read the location before the delivery does.
  await untilJobsRest(stores);
  const target = { target_id: channel_id, result: 'done' };
  const location = shop.addLocation('Sydney');
  await shop.deliveries.idle();
  await decided(seller, 1);
  shop.uninstall();
  await shop.deliveries.idle();
  await decided(seller, 2);
  expect(await entriesOf(seller.seller_id)).toMatchObject([
    { action: 'channels.create', actor_kind: 'member', ...target },
    { action: 'channels.authorisations.exchange', actor_kind: 'member', ...target },
    {
      ...{ action: 'locations/create', actor_kind: 'channel', actor_id: channel_id, ...target },
      changed_fields: [`locations.${location.id}`],
    },
    { action: 'app/uninstalled', actor_kind: 'channel', ...target, changed_fields: ['status'] },
  ]);
});

test('a callback that was refused, where its state names a seller', async () => {
  const seller = await stores.seller();
  const { body } = await begin(seller, newShop());
  const browser = new Browser(stores);
  const callback = await browser.decide(await browser.toConsent(body.start_url));
  await new Browser(stores).go(callback.replace(/hmac=../, 'hmac=00'));
  await new Browser(stores).go(callback);
  expect(await entriesOf(seller.seller_id)).toMatchObject([
    { action: 'channels.create' },
    {
      ...{ action: 'channels.authorisations.exchange', result: 'refused', code: 'browser_mismatch' },
      target_id: body.channel_id,
    },
  ]);
});
