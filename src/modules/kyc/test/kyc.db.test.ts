/** Verification of identity: documents and decisions, on a clock of its own. */
import sharp from 'sharp';
import { expect, test } from 'vitest';
import { startTestApp } from '../../../../test/support/app.ts';
import { png } from '../../../../test/support/images.ts';
import { callInternal } from '../../../../test/support/internal.ts';
import { DAY_MS, image, kycOn, PDF, PHOTO, pdfOf } from '../../../../test/support/kyc.ts';
import { orderEvent } from '../../../../test/support/orders.ts';
import { marketplaceEvents } from '../../../../test/support/outbox.ts';
import { joinTeam } from '../../../../test/support/team.ts';
import { runOn } from '../../../../test/support/test-server.ts';

const app = await startTestApp({ CLOCK: 'manual', CLOCK_START: '2026-07-01T01:00:00Z' });
const { asked, contentsOf, handIn, iso, itemOf, moveTo, now, read, send, submit, tell } = kycOn(app);

test('nothing is asked for at first; a company then sees all items at once', async () => {
  const seller = await app.seller();
  expect(await read(seller)).toMatchObject({
    kyc_id: null,
    status: 'not_required',
    items: [],
    waiting_on: 'nobody',
  });
  expect((await submit(seller)).status).toBe(404);
  await tell(seller, 'required', {
    required: true,
    entity_type: 'company',
    deadline: '2026-08-01T00:00:00Z',
  });
  const shown = await read(seller);
  expect(shown).toMatchObject({
    status: 'collecting',
    round: 1,
    waiting_on: 'seller',
    deadline: '2026-08-01T00:00:00.000Z',
  });
  expect(shown.items.map(({ code, status }) => [code, status])).toEqual([
    ['identity_document', 'missing'],
    ['proof_of_address', 'missing'],
    ['company_register', 'missing'],
    ['beneficial_owners', 'missing'],
  ]);
  const refused = await submit(seller);
  expect([refused.status, refused.body.code, refused.body.items.length]).toEqual([409, 'items_missing', 4]);
});

test('two refusals of one decision are both shown, and what was accepted stays', async () => {
  const seller = await asked();
  await handIn(seller);
  expect(await read(seller)).toMatchObject({ status: 'submitted', waiting_on: 'marketplace' });
  expect((await submit(seller)).body.code).toBe('case_not_open');
  const [submission] = await marketplaceEvents(app, seller, 'kyc.submitted', 1);
  expect(submission?.data.object).toMatchObject({ round: 1, entity_type: 'sole_trader' });
  const [identity, address] = [
    await itemOf(seller, 'identity_document'),
    await itemOf(seller, 'proof_of_address'),
  ];
  const decision = {
    ...{ decision: 'more_info_required', round: 1 },
    items: [
      { code: 'document_cropped', item_id: identity.item_id, outcome: 'refused' },
      { code: 'missing_back', item_id: identity.item_id, outcome: 'refused', detail: 'Page two' },
    ],
  };
  expect(await tell(seller, 'decided', { ...decision, round: 2 })).toBe('round_mismatch');
  expect(await tell(seller, 'decided', { ...decision, items: [{ code: 'other', item_id: 'kyi_x' }] })).toBe(
    'item_not_found',
  );
  expect(await tell(seller, 'decided', decision)).toBe('applied');
  const refused = await itemOf(seller, 'identity_document');
  expect(refused.reasons.map(({ code }) => code)).toEqual(['document_cropped', 'missing_back']);
  expect((await itemOf(seller, 'proof_of_address')).status).toBe('accepted');
  expect((await send(seller, address.item_id, PHOTO)).body.code).toBe('case_not_open');
  const missing = await submit(seller);
  expect([missing.status, missing.body.items]).toEqual([409, [identity.item_id]]);
  await handIn(seller);
  expect(await tell(seller, 'review_started', { round: 1 })).toBe('applied');
  expect((await read(seller)).status).toBe('in_review');
  expect(await tell(seller, 'decided', { decision: 'approved', round: 1 })).toBe('applied');
  expect(await read(seller)).toMatchObject({ status: 'approved', waiting_on: 'nobody' });
  // A second decision has another id, so it is no duplicate.
  expect(await tell(seller, 'decided', { decision: 'approved', round: 1 })).toBe('invalid_transition');
});

test.each<[string, Uint8Array, string, number, string]>([
  ['an image that says it is a PDF', PHOTO, 'application/pdf', 422, 'attachment_type_mismatch'],
  [
    'a PDF with a script',
    pdfOf('1 0 obj << /S /JavaScript /JS (app.alert) >> endobj'),
    'application/pdf',
    422,
    'attachment_active_content',
  ],
  [
    'a script under another spelling',
    pdfOf('1 0 obj << /S /J#61vaScript >> endobj'),
    'application/pdf',
    422,
    'attachment_active_content',
  ],
  ['an encrypted PDF', pdfOf('trailer << /Encrypt 5 0 R >>'), 'application/pdf', 422, 'attachment_encrypted'],
  ['a PDF that is cut off', PDF.subarray(0, 40), 'application/pdf', 422, 'attachment_unreadable'],
  ['more than ten megabytes', Buffer.alloc(11 * 1024 * 1024, 1), 'image/jpeg', 413, 'attachment_too_large'],
  [
    'a page that says it is a PDF',
    Buffer.from('<!doctype html><script>1</script>'),
    'application/pdf',
    415,
    'attachment_kind_unsupported',
  ],
  [
    'a drawing with scripts',
    Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script/></svg>'),
    'image/png',
    415,
    'attachment_kind_unsupported',
  ],
  [
    'an image of 3.6 thousand million pixels',
    png(60_000, 60_000, { width: 9, height: 9 }),
    'image/png',
    422,
    'attachment_unreadable',
  ],
  ['an image of 599 pixels', await image(599, 800).png().toBuffer(), 'image/png', 422, 'image_too_small'],
  [
    'an image with something after its end',
    Buffer.concat([PHOTO, Buffer.from('PK\x03\x04')]),
    'image/jpeg',
    422,
    'attachment_unreadable',
  ],
  ['a zip file', Buffer.from('PK\x03\x04 and more'), 'application/pdf', 415, 'attachment_kind_unsupported'],
  ['a GIF', await image(700, 700).gif().toBuffer(), 'image/png', 415, 'attachment_kind_unsupported'],
  ['a text', Buffer.from('hello'), 'application/octet-stream', 415, 'attachment_kind_unsupported'],
  ['nothing', Buffer.alloc(0), 'image/jpeg', 415, 'attachment_kind_unsupported'],
])('%s is refused, and nothing is stored', async (_what, bytes, type, status, code) => {
  const seller = await asked();
  const { item_id } = await itemOf(seller, 'proof_of_address');
  const answer = await send(seller, item_id, bytes, type);
  const found = Array.isArray(answer.body.detail) ? answer.body.detail[0]?.type : answer.body.code;
  expect([answer.status, found]).toEqual([status, code]);
  expect((await itemOf(seller, 'proof_of_address')).documents).toEqual([]);
});

test('an image is written anew, encrypted, and without its row nothing opens it', async () => {
  const seller = await asked();
  const { item_id } = await itemOf(seller, 'proof_of_address');
  const { body } = await send(seller, item_id, PHOTO);
  expect(body).toMatchObject({ content_type: 'image/jpeg', scan: 'not_scanned', pages: null });
  const stored = await runOn(app.database.adminUrl, async (client) => {
    const { rows } = await client.query<{ data: Buffer }>(
      "select data from file_chunk where file_id = 'fil_' || substr($1, 5)",
      [body.attachment_id],
    );
    return Buffer.concat(rows.map(({ data }) => data));
  });
  expect(stored.subarray(0, 3).toString('latin1')).not.toBe('\xff\xd8\xff');
  expect(stored.includes('SECRET-METADATA')).toBe(false);
  const path = `/internal/v1/attachments/${body.attachment_id}/content`;
  expect((await callInternal(app, 'GET', path)).status).toBe(422);
  expect((await callInternal(app, 'GET', path, { token: null })).status).toBe(401);
  const opened = await fetch(`${app.internalUrl}${path}`, {
    headers: { authorization: `Bearer ${app.internalToken}`, 'x-operator': 'ops:7' },
  });
  const bytes = Buffer.from(await opened.arrayBuffer());
  expect([opened.status, opened.headers.get('content-type')]).toEqual([200, 'image/jpeg']);
  expect(bytes.includes('SECRET-METADATA')).toBe(false);
  expect((await sharp(bytes).metadata()).width).toBe(600);
  // The seller sees who has read it.
  const { rows } = await runOn(app.database.adminUrl, (client) =>
    client.query(
      'select actor_kind, actor_id, action from audit_entry where seller_id = $1 and target_id = $2 order by at, audit_id',
      [seller.seller_id, body.attachment_id],
    ),
  );
  expect(rows.at(-1)).toEqual({
    actor_kind: 'operator',
    actor_id: 'ops:7',
    action: 'internal.attachments.get',
  });
  await runOn(app.database.adminUrl, (client) =>
    client.query('update attachment set key_sealed = null where attachment_id = $1', [body.attachment_id]),
  );
  const closed = await fetch(`${app.internalUrl}${path}`, {
    headers: { authorization: `Bearer ${app.internalToken}`, 'x-operator': 'ops:7' },
  });
  expect(closed.status).toBe(404);
});

test('an image keeps no place where it was taken', async () => {
  const seller = await asked();
  const { item_id } = await itemOf(seller, 'proof_of_address');
  const taken = await image(600, 600)
    .withExif({ IFD0: { Make: 'Camera' }, IFD3: { GPSLatitudeRef: 'S', GPSLatitude: '33/1 51/1 0/1' } })
    .jpeg()
    .toBuffer();
  expect((await sharp(taken).metadata()).exif).toBeDefined();
  const { body } = await send(seller, item_id, taken);
  const opened = await fetch(`${app.internalUrl}/internal/v1/attachments/${body.attachment_id}/content`, {
    headers: { authorization: `Bearer ${app.internalToken}`, 'x-operator': 'ops:7' },
  });
  expect((await sharp(Buffer.from(await opened.arrayBuffer())).metadata()).exif).toBeUndefined();
});

test('a licence needs both sides; a document replaces the one of its side, and can be deleted before it is submitted', async () => {
  const seller = await asked();
  const { item_id } = await itemOf(seller, 'identity_document');
  const wrong = await send(seller, item_id, PHOTO, 'image/jpeg', '?type=driver_licence');
  expect(JSON.stringify(wrong.body.detail)).toContain('"side"');
  await send(seller, item_id, PHOTO, 'image/jpeg', '?type=driver_licence&side=front');
  expect((await itemOf(seller, 'identity_document')).status).toBe('missing');
  await send(seller, item_id, PDF, 'application/pdf', '?type=driver_licence&side=back');
  const again = await send(seller, item_id, PHOTO, 'image/jpeg', '?type=driver_licence&side=front');
  const item = await itemOf(seller, 'identity_document');
  expect([item.status, item.documents.length]).toEqual(['provided', 2]);
  const path = `/kyc/documents/${again.body.attachment_id}`;
  const other = await asked();
  expect((await other.call('DELETE', path)).status).toBe(404);
  expect((await send(other, item_id, PHOTO, 'image/jpeg', '?type=passport')).status).toBe(404);
  expect((await seller.call('DELETE', path)).status).toBe(204);
  expect((await seller.call('DELETE', path)).status).toBe(404);
  expect((await itemOf(seller, 'identity_document')).status).toBe('missing');
});

test('a case takes twenty documents', async () => {
  const subjects = ['d1', 'd2', 'd3', 'd4', 'd5'];
  const items = subjects.map((subject) => ({ code: 'identity_document', subject }));
  const seller = await asked({ items });
  const places = ['driver_licence&side=front', 'driver_licence&side=back', 'national_id&side=front'];
  const outcomes: string[] = [];
  for (const { item_id } of (await read(seller)).items)
    for (const place of ['passport', ...places, 'national_id&side=back']) {
      const { status, body } = await send(seller, item_id, PDF, 'application/pdf', `?type=${place}`);
      outcomes.push(body.code ?? String(status));
    }
  expect(outcomes.slice(0, 20)).toEqual(Array(20).fill('201'));
  expect(outcomes.slice(20)).toEqual(Array(5).fill('document_limit'));
});

test('owners and admins see it, other roles and other sellers do not', async () => {
  const seller = await asked();
  const { item_id } = await itemOf(seller, 'proof_of_address');
  for (const role of ['finance', 'catalogue', 'support']) {
    const member = await joinTeam(app, seller, [role]);
    const answers = [
      await member.call('GET', '/kyc'),
      await send(member, item_id, PHOTO),
      await submit(member),
    ];
    expect([role, answers.map(({ status }) => status)]).toEqual([role, [403, 403, 403]]);
  }
  expect((await send(await asked(), item_id, PHOTO)).status).toBe(404);
  const admin = await joinTeam(app, seller, ['admin']);
  expect((await read(admin)).status).toBe('collecting');
});

test('every order of the marketplace events ends in the same state', async () => {
  const seller = await asked();
  expect(await tell(seller, 'decided', { decision: 'approved', round: 1 })).toBe('invalid_transition');
  expect(await tell(seller, 'review_started', { round: 1 })).toBe('invalid_transition');
  await handIn(seller);
  const event = orderEvent(app, seller, 'kyc.decided', seller.seller_id, { decision: 'approved', round: 1 });
  const results = [...(await app.events(event)), ...(await app.events(event))];
  expect(results.map(({ status }) => status)).toEqual(['applied', 'duplicate']);
  const earlier = { time: iso(now() - DAY_MS) };
  expect(await tell(seller, 'required', { required: true, reopen: true }, earlier)).toBe('stale');
  expect(await tell(seller, 'required', { required: true })).toBe('invalid_transition');
  expect(await tell(seller, 'required', { required: false })).toBe('invalid_transition');
  expect(await tell(seller, 'required', { required: true, reopen: true })).toBe('applied');
  expect(await read(seller)).toMatchObject({ status: 'collecting', round: 2 });
  expect(await tell(seller, 'decided', { decision: 'approved', round: 1 })).toBe('round_mismatch');
  expect(await tell(seller, 'required', { required: false })).toBe('applied');
  expect((await read(seller)).status).toBe('not_required');
});

test('an approval expires, with reminders; the documents of a rejection are deleted', async () => {
  let seller = await asked();
  await handIn(seller);
  const expires_on = iso(now() + 60 * DAY_MS).slice(0, 10);
  expect(await tell(seller, 'decided', { decision: 'approved', round: 1, expires_on })).toBe('applied');
  const types = async () => {
    const { body } = await seller.call<{ data: { type: string }[] }>('GET', '/webhooks/events?types=kyc.*');
    return body.data.map(({ type }) => type);
  };
  const expiry = Date.parse(`${expires_on}T00:00:00+10:00`);
  seller = await moveTo(expiry - 7 * DAY_MS, seller);
  expect(await types()).toEqual(['kyc.expiring', 'kyc.expiring']);
  seller = await moveTo(expiry, seller);
  expect((await read(seller)).status).toBe('more_info_required');
  expect((await read(seller)).items.map(({ status }) => status)).toEqual(['missing', 'missing']);
  await handIn(seller);
  await tell(seller, 'decided', { decision: 'rejected', round: 1, items: [{ code: 'other', detail: 'No' }] });
  const rejected = await read(seller);
  expect(rejected).toMatchObject({
    status: 'rejected',
    waiting_on: 'marketplace',
    reasons: [{ code: 'other', detail: 'No' }],
  });
  seller = await moveTo(now() + 92 * DAY_MS, seller);
  expect((await read(seller)).items.flatMap(({ documents }) => documents)).toEqual([]);
  // Those of the approval are kept.
  expect(await contentsOf(seller)).toBe(2);
});
