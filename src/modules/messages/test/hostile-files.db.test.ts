/** Files that are not what they say, in messages of both sides. Source: docs/design/attachments.md#checks. */
import { randomUUID } from 'node:crypto';
import sharp from 'sharp';
import { expect, test } from 'vitest';
import { startTestApp } from '../../../../test/support/app.ts';
import { asOwner } from '../../../../test/support/audit.ts';
import { conversation, message, messagesOf, say, tell } from '../../../../test/support/conversations.ts';
import { CLEANED, HIDDEN, REFUSED, UNSUPPORTED } from '../../../../test/support/hostile-files.ts';

const app = await startTestApp({ RATE_LIMITS: 'off' });
const seller = await app.seller({ plan: 'Big' });
const { thread_id } = await conversation(app, seller, [{ title: 'Mug' }]);

interface Uploaded {
  readonly attachment_id: string;
  readonly code?: string;
  readonly refused?: string | null;
  readonly detail?: readonly { readonly type: string }[];
}
const upload = (bytes: Buffer, type: string) =>
  seller.call<Uploaded>('POST', '/messages/attachments', { body: bytes, headers: { 'content-type': type } });
/** Conversations take texts too, so these files are texts. */
const TEXTS: Readonly<Record<string, string | null>> = {
  'a script': 'attachment_type_mismatch',
  'a PostScript': 'attachment_type_mismatch',
  'a test virus': null,
};
const CASES = REFUSED.map(([what, bytes, type, code]) => ({
  what,
  bytes,
  type,
  code: TEXTS[what] ?? code,
})).filter(({ what }) => TEXTS[what] !== null);
const filesOf = async (): Promise<number> =>
  (await asOwner(app, "select from file where seller_id = $1 and purpose = 'attachment'", [seller.seller_id]))
    .length;
/** The pieces of the contents of the seller's files. */
const chunksOf = async (): Promise<number> =>
  (await asOwner(app, 'select from file_chunk where seller_id = $1', [seller.seller_id])).length;
/** A word in Base64 at an offset of a longer text, without the characters that its neighbours also decide. */
const inBase64 = (word: string, offset: number): string => {
  const text = Buffer.concat([Buffer.alloc(offset), Buffer.from(word, 'latin1')]).toString('base64');
  return text.slice(Math.ceil((offset * 8) / 6), Math.floor(((offset + word.length) * 8) / 6));
};
/** How a word looks in a row that holds it. */
const spellings = (word: string): string[] => [
  word,
  Buffer.from(word, 'latin1').toString('hex'),
  ...[0, 1, 2].map((offset) => inBase64(word, offset)),
];
const PLAIN = [HIDDEN, '%PDF-1.7', '\0\0\0\rIHDR'];
const fives = <T>(list: readonly T[]): T[][] =>
  Array.from({ length: Math.ceil(list.length / 5) }, (_, index) => list.slice(index * 5, index * 5 + 5));

test('there are at least sixty kinds', () => {
  const kinds = [...REFUSED, ...CLEANED].map(([what]) => what);
  expect(kinds.length).toBeGreaterThanOrEqual(60);
  expect(new Set(kinds).size).toBe(kinds.length);
});

test('no file of the seller that is refused is stored', async () => {
  const said = [];
  for (const { what, bytes, type } of CASES) {
    const { status, body } = await upload(bytes, type);
    said.push([what, status, status === 422 ? body.detail?.[0]?.type : body.code]);
  }
  const wanted = CASES.map(({ what, code }) => [what, code === UNSUPPORTED ? 415 : 422, code]);
  expect(said).toEqual(wanted);
  expect(await filesOf()).toBe(0);
});

test('a message of the buyer comes without the content of its refused files', async () => {
  const sent: string[] = [];
  for (const { what, bytes, type, code } of CASES) {
    const query = new URLSearchParams({
      seller_id: seller.seller_id,
      external_id: randomUUID(),
      filename: 'x',
    });
    const answer = await fetch(`${app.internalUrl}/internal/v1/attachments?${query}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${app.internalToken}`, 'content-type': type },
      body: new Uint8Array(bytes),
    });
    const body = (await answer.json()) as Uploaded;
    expect([what, answer.status, body.refused]).toEqual([what, 200, code]);
    sent.push(body.attachment_id);
  }
  for (const attachments of fives(sent))
    expect(await tell(app, message(app, seller, thread_id, { customer_ref: null, attachments }))).toEqual([
      'applied',
    ]);
  const shown = (await messagesOf(seller, `${thread_id}`)).flatMap((one) => one.attachments);
  expect(shown.map(({ attachment_id }) => attachment_id).sort()).toEqual([...sent].sort());
  expect(new Set(shown.map(({ status }) => status))).toEqual(new Set(['deleted']));
  for (const id of sent.slice(0, 3))
    expect((await seller.call('GET', `/messages/attachments/${id}/content`)).status).toBe(404);
  expect(await filesOf()).toBe(0);
});

test('an image is sent and downloaded without what it hides', async () => {
  const ids: string[] = [];
  for (const [what, bytes, type] of CLEANED) {
    const { status, body, text } = await upload(bytes, type);
    expect([what, status, status === 201 ? '' : text]).toEqual([what, 201, '']);
    ids.push(body.attachment_id);
  }
  for (const attachment_ids of fives(ids)) {
    // A conversation has at most three messages of the seller in a row.
    const { thread_id: other } = await conversation(app, seller, [{ title: 'Mug' }]);
    expect((await say(seller, other, 'See the picture.', { attachment_ids })).status).toBe(201);
  }
  for (const [index, [what, , type]] of CLEANED.entries()) {
    const answer = await fetch(`${app.url}/api/v1/messages/attachments/${ids[index]}/content`, {
      headers: { authorization: `Bearer ${seller.token}` },
    });
    const clean = Buffer.from(await answer.arrayBuffer());
    expect([what, answer.headers.get('content-type')]).toEqual([what, type]);
    const { exif, xmp, pages = 1, width = 0, height = 0 } = await sharp(clean).metadata();
    expect([what, exif, xmp, pages, Math.max(width, height) <= 4_096]).toEqual([
      what,
      undefined,
      undefined,
      1,
      true,
    ]);
    for (const word of [HIDDEN, 'PK\x03\x04', '%PDF-', 'zTXt', 'GPS'])
      expect([what, word, clean.includes(Buffer.from(word, 'latin1'))]).toEqual([what, word, false]);
  }
});

test.each([0, 1, 2])('a word is found in Base64 behind %i bytes', (offset) => {
  for (const word of PLAIN) {
    const text = Buffer.from(`${'x'.repeat(offset)}${word} and more`, 'latin1').toString('base64');
    expect(spellings(word).some((one) => text.includes(one))).toBe(true);
  }
});

test('no stored byte of a file is its plaintext', async () => {
  const clean = await sharp(Buffer.alloc(300 * 300 * 3, 0x5a), {
    raw: { width: 300, height: 300, channels: 3 },
  })
    .png()
    .toBuffer();
  const page = Buffer.from(`%PDF-1.7\n1 0 obj << /Type /Page >> endobj\n% ${HIDDEN}\n%%EOF\n`);
  const text = Buffer.from(`${HIDDEN} is what the buyer reads.`);
  const before = await chunksOf();
  for (const [bytes, type] of [
    [clean, 'image/png'],
    [page, 'application/pdf'],
    [text, 'text/plain'],
  ] as const)
    expect((await upload(bytes, type)).status).toBe(201);
  expect(await chunksOf()).toBe(before + 3);
  const tables = await asOwner<{ name: string }>(
    app,
    "select table_name as name from information_schema.columns where table_schema = 'public' and column_name = 'seller_id'",
  );
  for (const { name } of tables) {
    const rows = await asOwner<{ row: string }>(app, `select to_jsonb(t)::text as row from ${name} t`);
    const stored = rows.map(({ row }) => row).join('\n');
    const found = PLAIN.flatMap(spellings).filter((word) => stored.includes(word));
    expect([name, found]).toEqual([name, []]);
  }
});
