/** Files that are not what they say: none of them is stored, and of an image only what it shows. */
import sharp from 'sharp';
import { expect, test } from 'vitest';
import { startTestApp } from '../../../../test/support/app.ts';
import { CLEANED, HIDDEN, REFUSED, UNSUPPORTED } from '../../../../test/support/hostile-files.ts';
import { kycOn } from '../../../../test/support/kyc.ts';
import { runOn } from '../../../../test/support/test-server.ts';

const app = await startTestApp();
const { asked, itemOf, send } = kycOn(app);
const seller = await asked();
const { item_id } = await itemOf(seller, 'proof_of_address');

test.each(REFUSED)('%s is refused, and nothing of it is stored', async (_what, bytes, type, code) => {
  const { status, body } = await send(seller, item_id, bytes, type);
  const said = status === 422 ? body.detail?.[0]?.type : body.code;
  expect([said, status]).toEqual([code, code === UNSUPPORTED ? 415 : 422]);
  expect((await itemOf(seller, 'proof_of_address')).status).toBe('missing');
  const { rows } = await runOn(app.database.adminUrl, (client) =>
    client.query(
      'select (select count(*) from attachment)::int as documents, (select count(*) from file)::int as files',
    ),
  );
  expect(rows).toEqual([{ documents: 0, files: 0 }]);
});

/** The bytes that a person of the marketplace sees, with the headers. */
async function opened(attachmentId: string) {
  const answer = await fetch(`${app.internalUrl}/internal/v1/attachments/${attachmentId}/content`, {
    headers: { authorization: `Bearer ${app.internalToken}`, 'x-operator': 'ops:7' },
  });
  return { headers: answer.headers, bytes: Buffer.from(await answer.arrayBuffer()) };
}

test.each(CLEANED)('an image with %s is taken without it', async (_what, bytes, type) => {
  const other = await asked({ items: [{ code: 'proof_of_address' }] });
  const {
    status,
    body,
    text: said,
  } = await send(other, (await itemOf(other, 'proof_of_address')).item_id, bytes, type);
  expect([status, status === 201 ? '' : said]).toEqual([201, '']);
  const { headers, bytes: clean } = await opened(body.attachment_id);
  expect(headers.get('content-type')).toBe(type);
  expect(headers.get('x-content-type-options')).toBe('nosniff');
  expect(headers.get('content-disposition')).toBe('attachment');
  for (const word of [HIDDEN, 'PK\x03\x04', '%PDF-', 'zTXt'])
    expect(clean.includes(Buffer.from(word, 'latin1')), word).toBe(false);
  expect((await sharp(clean).metadata()).pages ?? 1).toBe(1);
});
