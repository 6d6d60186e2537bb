import { expect, test } from 'vitest';
import type { OutboxPage } from '../../src/marketplace/read-outbox.ts';
import { giveAddress, startTestApp, type TestSeller } from '../../test/support/app.ts';
import { eventually } from '../../test/support/feeds.ts';
import { callInternal } from '../../test/support/internal.ts';
import { throughPort } from './start-trade.ts';
import { createWelcome } from './welcome.ts';

const app = await startTestApp();
const welcome = createWelcome({
  send: throughPort(app.url),
  session: (email) => app.demo.mint({ email }),
  log: app.app.services.log,
});

interface Profile {
  readonly dispatch_address: { readonly line1: string } | null;
}
const streetOf = async (seller: TestSeller) =>
  (await seller.call<Profile>('GET', '/sellers/me')).body.dispatch_address?.line1;

test('a registered seller without an address gets one, and no other address changes', async () => {
  const [bare, own] = [await app.seller(), await app.seller()];
  await giveAddress(own);
  const outbox = async () =>
    JSON.parse((await callInternal(app, 'GET', '/internal/v1/outbox?limit=500')).text) as OutboxPage;
  const isOf =
    ({ seller_id }: TestSeller) =>
    (event: { seller_id: string; type: string }) =>
      event.seller_id === seller_id && event.type === 'seller.registered';
  const page = await eventually(outbox, ({ data }) => data.some(isOf(bare)) && data.some(isOf(own)));
  for (const event of page.data) await welcome(event);
  expect(await streetOf(bare)).toBe('5 Kiln Street');
  expect(await streetOf(own)).toBe('12 Harbour Street');
});
