/** Files that the marketplace sends for conversations, and how long they wait to be used. */
import { type AddressInfo, createServer } from 'node:net';
import { afterAll, expect, test } from 'vitest';
import { startTestApp, type TestSeller } from '../../test/support/app.ts';
import { asOwner, logOf } from '../../test/support/audit.ts';
import { callInternal } from '../../test/support/internal.ts';
import { image, PDF, PHOTO, pdfOf } from '../../test/support/kyc.ts';

// No scanner is needed for files of conversations.
const app = await startTestApp({
  ...{ CLOCK: 'manual', CLOCK_START: '2026-07-01T01:00:00Z', SCANNER_REQUIRED: 'identity' },
});
let answer = 'stream: Eicar-Test-Signature FOUND\0';
const scanner = createServer((socket) => {
  socket.on('error', () => undefined);
  socket.on('data', () => socket.end(answer));
});
await new Promise<void>((resolve) => scanner.listen(0, '127.0.0.1', resolve));
afterAll(() => scanner.close());
const scanned = await startTestApp({
  SCANNER_URL: `clamd://127.0.0.1:${(scanner.address() as AddressInfo).port}`,
});

interface Taken {
  readonly code?: string;
  readonly detail?: readonly { readonly loc: readonly string[]; readonly type: string }[];
  readonly attachment_id: string;
  readonly filename: string | null;
  readonly content_type: string;
  readonly bytes: number;
  readonly status: string;
  readonly refused: string | null;
  readonly expires_at: string | null;
}
async function send(
  to: typeof app,
  query: Readonly<Record<string, string>>,
  body: Uint8Array,
  type = 'application/octet-stream',
): Promise<{ readonly status: number; readonly body: Taken }> {
  const headers = { authorization: `Bearer ${to.internalToken}`, 'content-type': type };
  const url = `${to.internalUrl}/internal/v1/attachments?${new URLSearchParams(query)}`;
  const response = await fetch(url, { method: 'POST', headers, body: new Uint8Array(body) });
  return { status: response.status, body: (await response.json()) as Taken };
}
const content = (id: string) =>
  fetch(`${app.internalUrl}/internal/v1/attachments/${id}/content`, {
    headers: { authorization: `Bearer ${app.internalToken}`, 'x-operator': 'ops:7' },
  });
const kept = async ({ seller_id }: Pick<TestSeller, 'seller_id'>) => {
  const rows = await asOwner<{ n: string }>(
    app,
    "select status as n from attachment where seller_id = $1 union all select purpose from file where seller_id = $1 and purpose = 'attachment'",
    [seller_id],
  );
  return rows.map(({ n }) => n);
};

test('a file gets a safe name, and the same external id answers the same file', async () => {
  const { seller_id } = await app.seller();
  const text = Buffer.from('Where is my parcel? — Größe M\n');
  const query = { seller_id, filename: '../evil\u202e.exe', external_id: 'm-1' };
  const { status, body } = await send(app, query, text, 'text/plain; charset=utf-8');
  expect([status, body]).toEqual([
    200,
    {
      attachment_id: expect.stringMatching(/^att_/),
      ...{ filename: 'evil_.exe.txt', content_type: 'text/plain', bytes: text.length },
      sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
      ...{ scan: 'not_scanned', status: 'unused', refused: null, expires_at: '2026-07-02T01:00:00.000Z' },
    },
  ]);
  const again = await Promise.all(
    [PHOTO, PDF].map((other) => send(app, { seller_id, external_id: 'm-1' }, other)),
  );
  expect(again.map((one) => one.body)).toEqual([body, body]);
  const twice = await Promise.all(
    [PHOTO, PHOTO, PHOTO].map((photo) => send(app, { seller_id, external_id: 'm-2' }, photo)),
  );
  expect(new Set(twice.map((one) => one.body.attachment_id)).size).toBe(1);
  const other = await app.seller();
  const theirs = await send(app, { seller_id: other.seller_id, external_id: 'm-1' }, text);
  expect(theirs.body.attachment_id).not.toBe(body.attachment_id);
});

test('its content is stored encrypted, is given to the operator, and is no document of identity', async () => {
  const seller = await app.seller();
  const { body } = await send(app, { seller_id: seller.seller_id }, PHOTO, 'image/jpeg');
  expect(body).toMatchObject({ filename: 'attachment.jpg', content_type: 'image/jpeg' });
  const opened = await content(body.attachment_id);
  expect([opened.status, opened.headers.get('content-type')]).toEqual([200, 'image/jpeg']);
  expect(Buffer.from(await opened.arrayBuffer()).includes('SECRET-METADATA')).toBe(false);
  expect((await logOf(app, seller)).map(({ action }) => action)).not.toContain('internal.attachments.get');
  // The least size is one of documents of identity.
  const small = await send(app, { seller_id: seller.seller_id }, await image(10, 10).png().toBuffer());
  expect(small.body.status).toBe('unused');
});

test.each<[string, Uint8Array, string, string]>([
  ['a page of HTML', Buffer.from('<!doctype html><p>x'), 'text/plain', 'attachment_kind_unsupported'],
  ['a drawing', Buffer.from('<?xml version="1.0"?><svg/>'), 'image/png', 'attachment_kind_unsupported'],
  ['a text with control characters', Buffer.from('a\u0007b'), 'text/plain', 'attachment_kind_unsupported'],
  ['a text that is not UTF-8', Buffer.from([0x61, 0xe9]), 'text/plain', 'attachment_kind_unsupported'],
  ['nothing', Buffer.alloc(0), 'text/plain', 'attachment_kind_unsupported'],
  ['another type than it says', PHOTO, 'image/png', 'attachment_type_mismatch'],
  ['a script', pdfOf('1 0 obj << /JS (x) >> endobj'), 'application/pdf', 'attachment_active_content'],
  ['too many bytes', Buffer.alloc(11 * 1024 * 1024), 'text/plain', 'attachment_too_large'],
])('%s is noted without content', async (_what, bytes, type, refused) => {
  const seller = await app.seller();
  const { status, body } = await send(app, { seller_id: seller.seller_id, filename: 'x' }, bytes, type);
  expect([status, body]).toMatchObject([
    200,
    { status: 'deleted', refused, filename: null, sha256: null, expires_at: null },
  ]);
  expect((await content(body.attachment_id)).status).toBe(404);
  expect(await kept(seller)).toEqual(['deleted']);
});

test('malware is refused; while the scanner fails the marketplace repeats', async () => {
  const { seller_id } = await scanned.seller();
  expect((await send(scanned, { seller_id }, PDF)).body.refused).toBe('attachment_infected');
  answer = 'INSTREAM size limit exceeded. ERROR\0';
  const { status, body } = await send(scanned, { seller_id }, PDF);
  expect([status, body.code]).toEqual([503, 'scan_unavailable']);
});

test('wrong parameters are refused by their names', async () => {
  const { seller_id } = await app.seller();
  const problems = async (query: Readonly<Record<string, string>>) => {
    const { status, body } = await send(app, query, PDF);
    return [status, ...(body.detail ?? []).map(({ loc, type }) => [...loc, type].join(' '))];
  };
  expect(await problems({})).toEqual([422, 'query seller_id missing']);
  expect(await problems({ seller_id: 'slr_none' })).toEqual([422, 'query seller_id seller_not_found']);
  expect(await problems({ seller_id, name: 'x', external_id: '' })).toEqual([
    422,
    'query name extra_forbidden',
    'query external_id string_type',
  ]);
});

test('a file that is not used is deleted after a day', async () => {
  const seller = await app.seller();
  const { body } = await send(app, { seller_id: seller.seller_id }, PHOTO);
  const move = (now: string) => callInternal(app, 'POST', '/internal/v1/clock', { body: { now } });
  expect((await move('2026-07-01T23:00:00Z')).status).toBe(200);
  expect(await kept(seller)).toEqual(['unused', 'attachment']);
  expect((await move('2026-07-03T03:00:00Z')).status).toBe(200);
  expect(await kept(seller)).toEqual([]);
  expect((await content(body.attachment_id)).status).toBe(404);
});
