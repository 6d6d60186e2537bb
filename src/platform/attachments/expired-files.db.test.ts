/** How long files of conversations are kept. Source: docs/design/attachments.md#storage. */
import { expect, test } from 'vitest';
import { startTestApp, type TestSeller } from '../../../test/support/app.ts';
import { asOwner } from '../../../test/support/audit.ts';
import { act, asked, say } from '../../../test/support/conversations.ts';
import { PHOTO } from '../../../test/support/kyc.ts';
import { apply, orderEvent, placeOrder } from '../../../test/support/orders.ts';
import { CLAIM, moveTo, opened, post, request, tell } from '../../../test/support/tickets.ts';

const DAY_MS = 86_400_000;
const START = Date.parse('2026-07-01T01:00:00Z');
const app = await startTestApp({ CLOCK: 'manual', CLOCK_START: new Date(START).toISOString() });
const afterDays = async (days: number, seller: TestSeller): Promise<TestSeller> => {
  const [again = seller] = await moveTo(app, new Date(START + days * DAY_MS).toISOString(), seller);
  return again;
};

test('files are deleted 180 days after the end of their conversation, or once nothing about the order is open', async () => {
  let seller = await app.seller({ plan: 'Big' });
  const upload = async (sentBody: Buffer = Buffer.from('A note'), type = 'text/plain'): Promise<string> => {
    const sent = { body: sentBody, headers: { 'content-type': type } };
    const { body } = await seller.call<{ attachment_id: string }>('POST', '/messages/attachments', sent);
    return body.attachment_id;
  };
  /** A thread with a file of the seller. */
  const thread = async (...steps: readonly string[]) => {
    const order_id = await placeOrder(app, seller, [{ title: 'Mug' }]);
    const { thread_id } = await asked(app, seller, order_id, { customer_ref: null, from: null });
    const file = await upload(PHOTO, 'image/jpeg');
    await say(seller, thread_id, 'See the note.', { attachment_ids: [file] });
    for (const step of steps) expect((await act(seller, thread_id, step)).status).toBe(200);
    return { order_id, file };
  };
  const [unused, ended, open] = [await upload(), await thread('close'), await thread()];
  const [disputed, claimed] = [await thread('close'), await thread('close')];
  const dispute = (type: string, data: object = {}) =>
    apply(app, orderEvent(app, seller, type, disputed.order_id, { dispute_id: 'dp_1', ...data }));
  await dispute('dispute.opened', { amount_minor: 100, provider_fee_minor: 0, reason: 'fraud' });
  const claim = await opened(app, seller, { ...CLAIM, order_id: claimed.order_id });
  const ofTicket = await upload();
  const { ticket_id } = await request(seller, { attachment_ids: [ofTicket] });
  await post(seller, `/${ticket_id}/resolve`, { resolution: 'solved' });

  const files = {
    unused,
    ofTicket,
    ended: ended.file,
    open: open.file,
    disputed: disputed.file,
    claimed: claimed.file,
  };
  /** The files whose bytes are in the database. */
  const kept = async (): Promise<string[]> => {
    const rows = await asOwner<{ file_id: string }>(
      app,
      'select distinct file_id from file_chunk where seller_id = $1',
      [seller.seller_id],
    );
    const ids = rows.map(({ file_id }) => file_id.replace('fil_', 'att_'));
    return Object.entries(files).flatMap(([name, id]) => (ids.includes(id) ? [name] : []));
  };
  expect(await kept()).toEqual(Object.keys(files));
  seller = await afterDays(2, seller);
  expect(await kept()).toEqual(['ofTicket', 'ended', 'open', 'disputed', 'claimed']);
  seller = await afterDays(179, seller);
  expect(await kept()).toEqual(['ofTicket', 'ended', 'open', 'disputed', 'claimed']);
  seller = await afterDays(182, seller);
  expect(await kept()).toEqual(['ofTicket', 'open', 'disputed', 'claimed']);
  const gone = await seller.call('GET', `/messages/attachments/${ended.file}/content`);
  expect([gone.status, gone.body]).toMatchObject([410, { code: 'attachment_expired' }]);
  expect(
    await asOwner(
      app,
      'select filename, key_sealed, sha256, pages, width, height, content_type, status from attachment where attachment_id = $1',
      [ended.file],
    ),
  ).toEqual([
    {
      ...{ filename: null, key_sealed: null, sha256: null, pages: null, width: null, height: null },
      ...{ content_type: 'image/jpeg', status: 'deleted' },
    },
  ]);
  await dispute('dispute.won');
  expect(await tell(app, seller, 'updated', claim, { claim: { decision: 'denied' } })).toBe('applied');
  await afterDays(196, seller);
  expect(await kept()).toEqual(['open']);
});
