/** Files that a seller adds to conversations. Source: docs/design/attachments.md#routes. */
import { expect, test } from 'vitest';
import { startTestApp } from '../../../test/support/app.ts';
import { PDF, PHOTO } from '../../../test/support/kyc.ts';
import { acting } from '../acting.ts';
import { deleteContents, takeSent, useAttachments } from '../attachments/attachments.ts';

const app = await startTestApp();
const BASE = '/customer_service/attachments';
interface Uploaded {
  readonly attachment_id: string;
  readonly status: string;
}
type Seller = Awaited<ReturnType<typeof app.seller>>;
const upload = (seller: Seller, body: Uint8Array, query = '', headers = {}) =>
  seller.call<Uploaded>('POST', `${BASE}${query}`, {
    headers: { 'content-type': 'application/octet-stream', ...headers },
    body,
  });
const uploaded = async (seller: Seller, body: Uint8Array = PHOTO): Promise<string> =>
  (await upload(seller, body)).body.attachment_id;
const inside = <T>(seller: Seller, work: (ctx: ReturnType<typeof acting>) => Promise<T>): Promise<T> =>
  app.app.services.withSeller(seller.seller_id, 'write', (db) =>
    work(acting(app.app.services, { db, seller_id: seller.seller_id })),
  );

test('a file is uploaded once for each key, and downloaded with headers that make a browser save it', async () => {
  const [seller, other] = [await app.seller(), await app.seller()];
  const key = { 'idempotency-key': 'file-1' };
  const made = await upload(seller, PHOTO, '?filename=..%2Fkaputt%20(1)\u202e.exe', key);
  expect([made.status, made.body]).toMatchObject([
    201,
    { filename: 'kaputt (1)_.exe.jpg', content_type: 'image/jpeg', scan: 'not_scanned', status: 'unused' },
  ]);
  expect((await upload(seller, PHOTO, '?filename=..%2Fkaputt%20(1)\u202e.exe', key)).body).toEqual(made.body);
  const path = `${BASE}/${made.body.attachment_id}/content`;
  const { status, headers } = await seller.call('GET', path);
  expect([status, ...['content-type', 'x-content-type-options'].map((name) => headers.get(name))]).toEqual([
    ...[200, 'image/jpeg', 'nosniff'],
  ]);
  expect(headers.get('content-disposition')).toBe("attachment; filename*=UTF-8''kaputt%20%281%29_.exe.jpg");
  expect(headers.get('content-security-policy')).toBe("sandbox; default-src 'none'");
  expect(headers.get('cross-origin-resource-policy')).toBe('same-origin');
  expect(headers.get('cache-control')).toBe('private, no-store');
  expect((await other.call('GET', path)).status).toBe(404);
});

test.each<[string, Uint8Array, number]>([
  ['a page', Buffer.from('<!doctype html><p>x'), 415],
  ['a drawing', Buffer.from('<?xml version="1.0"?><svg/>'), 415],
  ['a program', Buffer.from('MZ\u0000\u0001'), 415],
  ['an image with an archive behind it', Buffer.concat([PHOTO, Buffer.from('PK\u0003\u0004')]), 422],
])('%s is refused', async (_what, body, status) => {
  const seller = await app.seller();
  expect((await upload(seller, body, '?filename=x.jpg')).status).toBe(status);
});

test('a file is used once, by its seller, where it belongs', async () => {
  const [seller, other] = [await app.seller(), await app.seller()];
  const [photo, paper, theirs] = [await uploaded(seller), await uploaded(seller, PDF), await uploaded(other)];
  const use = (ids: readonly string[], limits = {}) =>
    inside(seller, (ctx) => useAttachments(ctx, ids, limits)).then(
      (files) => files.map(({ attachment_id }) => attachment_id),
      (error) => error.body.detail.map(({ loc, type }: { loc: object; type: string }) => [loc, type]),
    );
  const at = (index: number) => [['body', 'attachment_ids', index], 'attachment_not_usable'];
  expect(await use([photo, theirs, 'att_none', photo])).toEqual([at(1), at(2), at(3)]);
  expect(await use([photo, paper], { used: 49 })).toEqual([at(1)]);
  expect(await use([photo, paper], { max: 1 })).toEqual([at(1)]);
  const both = await Promise.all([use([paper, photo]), use([photo])]);
  expect(both).toContainEqual(expect.not.arrayContaining([at(0)]));
  expect(await use([photo])).toEqual([at(0)]);
  // A file of the seller is none that the marketplace has sent.
  const sent = await uploaded(seller);
  expect(await inside(seller, (ctx) => takeSent(ctx, [sent]))).toEqual([]);
});

test.each(['buyer_erased', 'attachment_expired'] as const)('deleted content is 410 %s', async (why) => {
  const seller = await app.seller();
  const id = await uploaded(seller);
  await inside(seller, (ctx) => useAttachments(ctx, [id]));
  expect(await inside(seller, (ctx) => deleteContents(ctx, [id], why))).toBe(1);
  const { status, body } = await seller.call('GET', `${BASE}/${id}/content`);
  expect([status, body]).toMatchObject([410, { code: why }]);
});
