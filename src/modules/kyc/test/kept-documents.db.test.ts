/** How long documents count, and how long they are kept, on a clock of its own. */
import { expect, test } from 'vitest';
import { startTestApp } from '../../../../test/support/app.ts';
import { asOwner } from '../../../../test/support/audit.ts';
import { DAY_MS, image, kycOn, PDF, PHOTO } from '../../../../test/support/kyc.ts';
import { apply, orderEvent } from '../../../../test/support/orders.ts';
import { marketplaceEvents } from '../../../../test/support/outbox.ts';
import { readAttachment } from '../../../platform/attachments/attachments.ts';
import { resealKeys } from '../../../platform/attachments/reseal-keys.ts';
import { createSecrets } from '../../../platform/crypto/secrets.ts';
import type { Services } from '../../../platform/services.ts';

const CLOCK_START = '2026-07-01T01:00:00Z';
const KEY = Buffer.alloc(32, 1);
const SECRETS_KEY = KEY.toString('base64');
const app = await startTestApp({ CLOCK: 'manual', CLOCK_START, KYC_RETENTION_DAYS: '40', SECRETS_KEY });
const ONE = { items: [{ code: 'proof_of_address' }] };
const { asked, contentsOf, handIn, iso, itemOf, moveTo, now, read, send, submit, tell } = kycOn(app);

test('what an approval relied on is kept until long after the account was closed', async () => {
  let seller = await asked();
  const { item_id } = await itemOf(seller, 'proof_of_address');
  await send(seller, item_id, PHOTO);
  await handIn(seller);
  expect(await contentsOf(seller)).toBe(3);
  expect(await tell(seller, 'decided', { decision: 'approved', round: 1 })).toBe('applied');
  expect(await tell(seller, 'required', { required: true, reopen: true })).toBe('applied');
  seller = await moveTo(now() + 32 * DAY_MS, seller);
  // The replaced one is deleted.
  expect(await contentsOf(seller)).toBe(2);
  await handIn(seller);
  expect(await tell(seller, 'decided', { decision: 'rejected', round: 2 })).toBe('applied');
  expect(await contentsOf(seller)).toBe(4);
  seller = await moveTo(now() + 92 * DAY_MS, seller);
  expect(await contentsOf(seller)).toBe(2);
  const change = (data: object) =>
    apply(app, orderEvent(app, seller, 'seller.standing_changed', seller.seller_id, data));
  await change({ status: 'closed' });
  const other = await app.seller();
  await moveTo(now() + 39 * DAY_MS, other);
  expect(await contentsOf(seller)).toBe(2);
  // A later decision about the account does not keep them longer.
  await change({ hold_days: 9 });
  await moveTo(now() + 3 * DAY_MS, other);
  expect(await contentsOf(seller)).toBe(0);
});

test('a document may lose its digest, and is not shown without one', async () => {
  const seller = await asked(ONE);
  const { item_id } = await itemOf(seller, 'proof_of_address');
  const { attachment_id } = (await send(seller, item_id, PHOTO)).body;
  const shown = async () => (await itemOf(seller, 'proof_of_address')).documents;
  expect(await shown()).toMatchObject([{ attachment_id, sha256: expect.stringMatching(/^[0-9a-f]{64}$/) }]);
  await asOwner(app, 'update attachment set sha256 = null where attachment_id = $1', [attachment_id]);
  expect(await shown()).toEqual([]);
});

test('after the expiry of an approval its documents do not count, and cannot be deleted', async () => {
  let seller = await asked({ items: [{ code: 'identity_document', subject: 'owner' }] });
  const { item_id } = await itemOf(seller, 'identity_document');
  const sendSide = (side: string) =>
    send(seller, item_id, PHOTO, 'image/jpeg', `?type=driver_licence&side=${side}`);
  const back = (await sendSide('back')).body.attachment_id;
  await sendSide('front');
  expect((await submit(seller)).status).toBe(201);
  const expires_on = iso(now() + 40 * DAY_MS).slice(0, 10);
  expect(await tell(seller, 'decided', { decision: 'approved', expires_on })).toBe('applied');
  seller = await moveTo(now() + 41 * DAY_MS, seller);
  expect((await sendSide('front')).status).toBe(201);
  const item = await itemOf(seller, 'identity_document');
  expect([item.status, item.documents.length]).toEqual(['missing', 1]);
  expect((await seller.call('DELETE', `/kyc/documents/${back}`)).status).toBe(404);
  expect(await contentsOf(seller)).toBe(3);
  expect((await sendSide('back')).status).toBe(201);
  expect((await itemOf(seller, 'identity_document')).status).toBe('provided');
});

test('documents of a case that is not needed any more are deleted', async () => {
  let seller = await asked();
  await handIn(seller);
  expect(await tell(seller, 'required', { required: false })).toBe('applied');
  expect(await contentsOf(seller)).toBe(2);
  seller = await moveTo(now() + 32 * DAY_MS, seller);
  expect(await contentsOf(seller)).toBe(0);
});

test('a case keeps twenty replaced documents; deleting one first always works', async () => {
  const seller = await asked();
  const { item_id } = await itemOf(seller, 'proof_of_address');
  const sendPdf = async () => (await send(seller, item_id, PDF, 'application/pdf')).body;
  const outcomes: (string | undefined)[] = [];
  for (let count = 0; count < 22; count += 1) outcomes.push((await sendPdf()).code);
  expect(outcomes).toEqual([...Array(21).fill(undefined), 'replacement_limit']);
  const [present] = (await itemOf(seller, 'proof_of_address')).documents;
  expect((await seller.call('DELETE', `/kyc/documents/${present?.attachment_id}`)).status).toBe(204);
  expect((await sendPdf()).code).toBeUndefined();
  expect(await contentsOf(seller)).toBe(21);
  const later = await moveTo(now() + 32 * DAY_MS, seller);
  expect(await contentsOf(later)).toBe(1);
  expect((await send(later, item_id, PDF, 'application/pdf')).status).toBe(201);
});

test('a repeated upload gets its answer, whatever the case is now', async () => {
  const seller = await asked({ items: [{ code: 'proof_of_address' }] });
  const { item_id } = await itemOf(seller, 'proof_of_address');
  const sendOnce = (bytes: Buffer) =>
    send(seller, item_id, bytes, 'application/octet-stream', '', { 'idempotency-key': 'upload-1' });
  const first = await sendOnce(PHOTO);
  expect((await submit(seller)).status).toBe(201);
  const again = await sendOnce(PHOTO);
  expect([again.status, again.body]).toEqual([201, first.body]);
  expect((await sendOnce(PDF)).body.code).toBe('idempotency_key_reused');
  expect((await send(seller, item_id, PHOTO)).body.code).toBe('case_not_open');
});

test('the shorter side is that of the image that was sent', async () => {
  const seller = await asked();
  const { item_id } = await itemOf(seller, 'proof_of_address');
  const wide = await image(8_000, 700).png().toBuffer();
  expect((await send(seller, item_id, wide, 'image/png')).status).toBe(201);
  const narrow = await send(seller, item_id, await image(8_000, 599).png().toBuffer(), 'image/png');
  expect([narrow.status, narrow.body.detail?.[0]?.type]).toEqual([422, 'image_too_small']);
});

test('that nothing is needed holds also where it is said first', async () => {
  const seller = await app.seller();
  expect(await tell(seller, 'required', { required: false })).toBe('applied');
  expect(await read(seller)).toMatchObject({ status: 'not_required', round: 0, waiting_on: 'nobody' });
  const earlier = { time: iso(now() - DAY_MS) };
  expect(await tell(seller, 'required', { required: true }, earlier)).toBe('stale');
  expect(await tell(seller, 'decided', { decision: 'approved' })).toBe('invalid_transition');
  expect((await read(seller)).status).toBe('not_required');
  expect(await tell(seller, 'required', { required: true, entity_type: 'sole_trader' })).toBe('applied');
  expect(await read(seller)).toMatchObject({ status: 'collecting', round: 1 });
  await handIn(seller);
});

test('a decision that names no round is about the round of its time', async () => {
  let seller = await asked();
  await handIn(seller);
  const inRoundOne = { time: iso(now() + 1_000) };
  expect(await tell(seller, 'decided', { decision: 'approved', round: 1 })).toBe('applied');
  seller = await moveTo(now() + DAY_MS, seller);
  expect(await tell(seller, 'required', { required: true, reopen: true })).toBe('applied');
  await handIn(seller);
  expect(await tell(seller, 'decided', { decision: 'rejected' }, inRoundOne)).toBe('stale');
  expect(await tell(seller, 'review_started', {}, inRoundOne)).toBe('stale');
  expect((await read(seller)).status).toBe('submitted');
  expect(await tell(seller, 'decided', { decision: 'approved' })).toBe('applied');
  expect((await read(seller)).status).toBe('approved');
});

test('a decision about documents that the seller has replaced since is stale', async () => {
  let seller = await asked();
  await handIn(seller);
  const [{ object_version: seen = 0 } = {}] = await marketplaceEvents(app, seller, 'kyc.submitted', 1);
  const more = { decision: 'more_info_required', round: 1, items: [{ code: 'document_cropped' }] };
  expect(await tell(seller, 'decided', more)).toBe('applied');
  const approved = { decision: 'approved', round: 1 };
  const early = { time: iso(now() + 1_000) };
  expect(await tell(seller, 'decided', approved, early)).toBe('invalid_transition');
  seller = await moveTo(now() + DAY_MS, seller);
  await handIn(seller);
  const [, { object_version: version = 0 } = {}] = await marketplaceEvents(app, seller, 'kyc.submitted', 2);
  expect(await tell(seller, 'decided', approved, early)).toBe('stale');
  expect(await tell(seller, 'review_started', { round: 1 }, early)).toBe('stale');
  expect(await tell(seller, 'decided', { ...approved, reviewed_version: seen })).toBe('stale');
  expect(await tell(seller, 'decided', { ...approved, reviewed_version: 99 })).toBe('version_unknown');
  expect((await read(seller)).status).toBe('submitted');
  expect(await tell(seller, 'decided', { ...approved, reviewed_version: version })).toBe('applied');
});

test('two calls end alike in either order', async () => {
  const day = (days: number) => ({ time: iso(now() - days * DAY_MS) });
  const older = { required: true, entity_type: 'sole_trader', deadline: iso(now() + 9 * DAY_MS) };
  const twice = [{ code: 'proof_of_address' }, { code: 'tax_return' }, { code: 'tax_return' }];
  const newer = { required: true, items: twice };
  const [first, second] = [await app.seller(), await app.seller()];
  expect(await tell(first, 'required', older, day(2))).toBe('applied');
  expect(await tell(first, 'required', newer, day(1))).toBe('applied');
  expect(await tell(second, 'required', newer, day(1))).toBe('applied');
  expect(await tell(second, 'required', older, day(2))).toBe('stale');
  const shown = async (seller: typeof first) => {
    const { status, round, deadline, items } = await read(seller);
    return { status, round, deadline, items: items.map(({ code }) => code) };
  };
  expect(await shown(first)).toEqual(await shown(second));
  expect((await shown(first)).items).toEqual(['proof_of_address', 'tax_return']);
  // What the seller has sent stays.
  await send(first, (await itemOf(first, 'tax_return')).item_id, PHOTO);
  expect(await tell(first, 'required', older)).toBe('applied');
  expect((await shown(first)).items).toEqual(['tax_return', 'identity_document', 'proof_of_address']);
});

test('a finding without an item spares those that the decision accepts', async () => {
  const seller = await asked();
  await handIn(seller);
  const { item_id } = await itemOf(seller, 'identity_document');
  const accepted = { code: 'other', item_id, outcome: 'accepted' };
  const general = { code: 'too_old' };
  const address = { ...accepted, item_id: (await itemOf(seller, 'proof_of_address')).item_id };
  const decide = (...items: object[]) => tell(seller, 'decided', { decision: 'more_info_required', items });
  expect(await decide(accepted, address, general)).toBe('data_invalid');
  expect(await decide(accepted, general)).toBe('applied');
  const { items } = await read(seller);
  expect(items.map(({ code, status }) => [code, status])).toEqual([
    ['identity_document', 'accepted'],
    ['proof_of_address', 'refused'],
  ]);
});

test('documents can be read after the key that sealed them was dropped', async () => {
  const seller = await asked(ONE);
  const { item_id } = await itemOf(seller, 'proof_of_address');
  const { attachment_id } = (await send(seller, item_id, PDF, 'application/pdf')).body;
  const { services } = app.app;
  const content = (secrets: Services['secrets']) =>
    services.withSeller(seller.seller_id, 'read', async (db) => {
      const at = { db, seller_id: seller.seller_id };
      return (await readAttachment(at, { ...services, secrets }, attachment_id))?.bytes;
    });
  const fresh = Buffer.alloc(32, 7);
  const changed = { ...services, secrets: createSecrets([fresh, KEY]) };
  const { signal } = new AbortController();
  await expect(content(createSecrets([fresh]))).rejects.toThrow(
    'the key of the sealed text is not configured',
  );
  expect(await resealKeys(changed, signal)).toBeGreaterThan(0);
  expect(await resealKeys(changed, signal)).toBe(0);
  expect(await content(createSecrets([fresh]))).toEqual(PDF);
  // A key that cannot be opened stays as it is, and does not stop the others. Then the key of this service again.
  expect(await resealKeys({ ...services, secrets: createSecrets([KEY]) }, signal)).toBe(0);
  expect(await resealKeys({ ...services, secrets: createSecrets([KEY, fresh]) }, signal)).toBeGreaterThan(0);
});
