import { expect, test } from 'vitest';
import { startTestApp, type TestSeller } from '../../../../test/support/app.ts';
import { type Faq, makeFaq, postFaq } from '../../../../test/support/faqs.ts';
import { applied, catalogueOf, csv, goods } from '../../../../test/support/feeds.ts';
import { eventTypesOf, orderEvent } from '../../../../test/support/orders.ts';
import { marketplaceEvents } from '../../../../test/support/outbox.ts';
import { create } from '../../../../test/support/products.ts';

const app = await startTestApp();
const outcome = ({ status, body }: { status: number; body: unknown }) => [
  status,
  (body as { code?: string } | undefined)?.code,
];
const read = async (seller: TestSeller, { faq_id }: Faq): Promise<Faq> =>
  (await seller.call<Faq>('GET', `/faqs/${faq_id}`)).body;
const move = (seller: TestSeller, { faq_id }: Faq, verb: string) =>
  seller.call<Faq & { code: string }>('POST', `/faqs/${faq_id}/${verb}`, { json: {} });
const edit = (seller: TestSeller, { faq_id }: Faq, json: object, headers = {}) =>
  seller.call<Faq>('PATCH', `/faqs/${faq_id}`, { json, headers });
async function decide(seller: TestSeller, { faq_id }: Faq, data: object, more: object = {}) {
  const [result] = await app.events(orderEvent(app, seller, 'faq.decided', faq_id, data, more));
  return result?.code ?? result?.status;
}
const list = async (seller: TestSeller, query = ''): Promise<readonly string[]> =>
  (await seller.call<{ data: Faq[] }>('GET', `/faqs${query}`)).body.data.map(({ question }) => question);

test('a version that goes live settles the notice of the rejection before it', async () => {
  const seller = await app.seller();
  const faq = await makeFaq(seller);
  const notices = async () =>
    (await seller.call<{ data: object[] }>('GET', '/notifications')).body.data.filter(
      (notice) => (notice as { type: string }).type === 'faq.rejected',
    );
  await move(seller, faq, 'publish');
  const reasons = [{ code: 'links', detail: 'No links' }];
  expect(await decide(seller, faq, { version: 1, decision: 'rejected', reasons })).toBe('applied');
  const title = `The marketplace has rejected version 1 of a FAQ: ${faq.question}`;
  await expect.poll(notices).toMatchObject([{ acknowledged_by: null, title }]);
  await edit(seller, faq, { answer: 'It is, since today.' });
  await move(seller, faq, 'publish');
  expect(await decide(seller, faq, { version: 2, decision: 'live' })).toBe('applied');
  await expect.poll(notices).toMatchObject([{ acknowledged_by: 'system' }]);
});

test('a draft is published, pending and live; an edit leaves the old version live until it is decided', async () => {
  const seller = await app.seller();
  const faq = await makeFaq(seller);
  const draft = { status: 'draft', publication: 'not_published', text_version: 1, live_version: null };
  expect(faq).toMatchObject({ ...draft, locale: 'en-AU', position: 0, submitted_version: null });
  const sent = await move(seller, faq, 'publish');
  expect(sent).toMatchObject({ status: 200, body: { status: 'published', publication: 'pending' } });
  expect(await decide(seller, faq, { version: 1, decision: 'live' })).toBe('applied');
  expect(await read(seller, faq)).toMatchObject({ publication: 'live', live_version: 1 });
  expect(outcome(await move(seller, faq, 'publish'))).toEqual([409, 'invalid_transition']);

  await edit(seller, faq, { answer: 'It is, since today.' });
  expect(await read(seller, faq)).toMatchObject({ text_version: 2, live_version: 1, publication: 'live' });
  await move(seller, faq, 'publish');
  const pending = { publication: 'pending', live_version: 1, submitted_version: 2 };
  expect(await read(seller, faq)).toMatchObject(pending);
  const reasons = [{ code: 'links', detail: 'No links' }];
  expect(await decide(seller, faq, { version: 2, decision: 'rejected', reasons })).toBe('applied');
  expect(await read(seller, faq)).toMatchObject({ publication: 'rejected', live_version: 1, reasons });
  await expect
    .poll(async () => (await seller.call<{ data: { type: string }[] }>('GET', '/notifications')).body.data)
    .toContainEqual(expect.objectContaining({ type: 'faq.rejected', severity: 'warning' }));

  const taken = await move(seller, faq, 'unpublish');
  expect(taken.body).toMatchObject({ status: 'draft', publication: 'not_published', live_version: null });
  expect(outcome(await move(seller, faq, 'unpublish'))).toEqual([409, 'invalid_transition']);
  expect(await eventTypesOf(app, seller, faq.faq_id)).toEqual(
    ['submitted', 'live', 'submitted', 'rejected', 'unpublished'].map((name) => `faq.${name}`),
  );
  const told = await marketplaceEvents(app, seller, 'faq.', 3);
  expect(told.map(({ type, data }) => [type, data.object['submitted_version']])).toEqual([
    ['faq.submitted', 1],
    ['faq.submitted', 2],
    ['faq.unpublished', 2],
  ]);
});

test('a decision on an old version is stale, on one that was not submitted refused; the newest holds', async () => {
  const [seller, other] = [await app.seller(), await app.seller()];
  const faq = await makeFaq(seller);
  const live = (version: number) => ({ version, decision: 'live' });
  expect(await decide(seller, faq, live(1))).toBe('version_unknown');
  expect(await decide(other, faq, live(1))).toBe('faq_not_found');
  expect(await decide({ ...seller, seller_id: 'slr_none' }, faq, live(1))).toBe('seller_not_found');
  await move(seller, faq, 'publish');
  await edit(seller, faq, { position: 3 });
  await move(seller, faq, 'publish');
  expect(await decide(seller, faq, live(1))).toBe('stale');
  expect(await decide(seller, faq, live(3))).toBe('version_unknown');
  const older = { time: '2026-01-01T00:00:00Z', objectversion: 7 };
  const newer = { time: '2026-01-02T00:00:00Z', objectversion: 8 };
  expect(await decide(seller, faq, live(2), newer)).toBe('applied');
  expect(await decide(seller, faq, { version: 2, decision: 'rejected' }, older)).toBe('stale');
  expect(await read(seller, faq)).toMatchObject({ publication: 'live', live_version: 2 });
  // The marketplace may change its mind about a version.
  expect(await decide(seller, faq, { version: 2, decision: 'rejected' })).toBe('applied');
  expect(await read(seller, faq)).toMatchObject({ publication: 'rejected', live_version: null });
  await move(seller, faq, 'unpublish');
  expect(await decide(seller, faq, live(2))).toBe('stale');
});

test('the 31st published FAQ is 409 faq_limit; of two at 29 that publish at once, one fits', async () => {
  const seller = await app.seller();
  const { product_id } = await create(seller);
  const made = await Promise.all(Array.from({ length: 32 }, () => makeFaq(seller, { product_id })));
  for (const faq of made.slice(0, 29)) expect((await move(seller, faq, 'publish')).status).toBe(200);
  const both = await Promise.all(made.slice(29, 31).map((faq) => move(seller, faq, 'publish')));
  expect(both.map(({ status }) => status).sort()).toEqual([200, 409]);
  const [, , last] = made.slice(29);
  const refused = await move(seller, last as Faq, 'publish');
  expect(refused).toMatchObject({ status: 409, body: { code: 'faq_limit', limit: 30, used: 30 } });
  // Another language and another product have limits of their own.
  const french = await makeFaq(seller, { product_id, locale: 'fr-fr' });
  expect(french['locale']).toBe('fr-FR');
  expect((await move(seller, french, 'publish')).status).toBe(200);
  expect((await move(seller, await makeFaq(seller), 'publish')).status).toBe(200);
  await move(seller, made[0] as Faq, 'unpublish');
  expect((await move(seller, last as Faq, 'publish')).status).toBe(200);
});

test('the published FAQs of a product have at most 10,000 characters', async () => {
  const seller = await app.seller();
  const { product_id } = await create(seller);
  const long = async (answer: string) => {
    const question = `${crypto.randomUUID()}`.padEnd(1_000, 'q');
    return move(seller, await makeFaq(seller, { product_id, question, answer }), 'publish');
  };
  for (let index = 0; index < 4; index += 1) expect((await long('a'.repeat(1_000))).status).toBe(200);
  expect((await long('a'.repeat(999))).status).toBe(200);
  const refused = await long('aa');
  expect(refused).toMatchObject({ status: 409, body: { code: 'faq_limit', limit: 10_000, used: 9_999 } });
});

test('a live version counts for the limit until a shorter one is live', async () => {
  const seller = await app.seller();
  const { product_id } = await create(seller);
  const live = (faq: Faq, version: number) => decide(seller, faq, { version, decision: 'live' });
  const publish = async (index: number, answer = 'a'.repeat(1_000)) => {
    const question = `${index}`.padEnd(1_000, 'q');
    const faq = await makeFaq(seller, { product_id, question, answer });
    return { faq, answer: await move(seller, faq, 'publish') };
  };
  for (let index = 0; index < 4; index += 1) await publish(index);
  const { faq } = await publish(4);
  expect(await live(faq, 1)).toBe('applied');
  await edit(seller, faq, { question: 'Is it?', answer: 'Yes.' });
  await move(seller, faq, 'publish');
  // The marketplace may reject the short version, and buyers still see the long one.
  const beside = await publish(5, 'b'.repeat(900));
  expect(outcome(beside.answer)).toEqual([409, 'faq_limit']);
  await decide(seller, faq, { version: 2, decision: 'rejected' });
  expect(outcome(await move(seller, beside.faq, 'publish'))).toEqual([409, 'faq_limit']);
  await edit(seller, faq, { answer: 'No.' });
  await move(seller, faq, 'publish');
  expect(await live(faq, 3)).toBe('applied');
  // A long version that another one replaces before it is decided leaves nothing behind.
  await edit(seller, faq, { answer: 'a'.repeat(1_000) });
  await move(seller, faq, 'publish');
  expect(outcome(await move(seller, beside.faq, 'publish'))).toEqual([409, 'faq_limit']);
  await edit(seller, faq, { answer: 'Never.' });
  await move(seller, faq, 'publish');
  expect((await move(seller, beside.faq, 'publish')).status).toBe(200);
});

test('a brand must be one of the catalogue, and a product one that is not archived', async () => {
  const [seller, other] = [await app.seller(), await app.seller()];
  const { product_id } = await create(seller, { brand: 'Bondi Clay' });
  const about = async (json: object, by = seller) => {
    const answer = await postFaq(by, json);
    const detail = answer.body['detail'] as undefined | string | [{ type: string; loc: string[] }];
    return typeof detail === 'string' || detail === undefined
      ? answer.status
      : [answer.status, detail[0].type, ...detail[0].loc];
  };
  expect(await about({ scope: 'brand', brand: 'Nobody’s' })).toEqual([422, 'brand_unknown', 'body', 'brand']);
  expect(await about({ scope: 'brand', brand: 'Bondi Clay' }, other)).toContain('brand_unknown');
  expect(await about({ product_id }, other)).toBe(404);
  expect(await about({})).toEqual([422, 'missing', 'body', 'product_id']);
  expect(await about({ product_id, brand: 'x' })).toEqual([422, 'extra_forbidden', 'body', 'brand']);
  expect(await about({ scope: 'brand' })).toEqual([422, 'missing', 'body', 'brand']);
  expect(await about({ product_id, locale: 'x' })).toEqual([422, 'locale_invalid', 'body', 'locale']);
  expect(await about({ product_id, question: '  Why  ' })).toContain(422);
  const faq = await makeFaq(seller, { scope: 'brand', brand: ' bondi clay ' });
  expect(faq).toMatchObject({ brand: 'Bondi Clay', product_id: null });
  expect(await list(seller, '?brand=BONDI%20CLAY')).toEqual([faq.question]);
  await seller.call('DELETE', `/products/${product_id}`);
  expect(await about({ product_id })).toBe(404);
  expect(await about({ scope: 'brand', brand: 'Bondi Clay' })).toContain('brand_unknown');
});

test('the same question is 409 question_exists until the other is archived', async () => {
  const seller = await app.seller();
  const { product_id } = await create(seller);
  const question = 'Is it café-proof?';
  const first = await makeFaq(seller, { product_id, question });
  const twin = { product_id, question: ' is it  CAFE-proof? ' };
  expect(await postFaq(seller, twin)).toMatchObject({
    status: 409,
    body: { code: 'question_exists', faq_id: first.faq_id },
  });
  const second = await makeFaq(seller, { product_id });
  expect(outcome(await edit(seller, second, { question }))).toEqual([409, 'question_exists']);
  const race = { product_id, question: 'Does one of two win?' };
  const both = await Promise.all([postFaq(seller, race), postFaq(seller, race)]);
  expect(both.map(({ status }) => status).sort()).toEqual([201, 409]);
  expect((await seller.call('DELETE', `/faqs/${first.faq_id}`)).status).toBe(204);
  expect((await postFaq(seller, twin)).status).toBe(201);
});

test('a revert that deletes the product takes its FAQs down, and tells the marketplace', async () => {
  const seller = await app.seller();
  const { run_id } = await applied(seller, csv([goods('GONE')]));
  const product_id = (await catalogueOf(seller)).get('GONE')?.product_id;
  const live = await makeFaq(seller, { product_id });
  await move(seller, live, 'publish');
  await decide(seller, live, { version: 1, decision: 'live' });
  await seller.call('POST', `/products/feed-runs/${run_id}/revert`, { json: {} });
  expect((await seller.call('GET', `/products/${product_id}`)).status).toBe(404);
  expect(await read(seller, live)).toMatchObject({ status: 'archived', publication: 'not_published' });
  await expect
    .poll(() => eventTypesOf(app, seller, live.faq_id), { timeout: 20_000 })
    .toEqual(['faq.submitted', 'faq.live', 'faq.unpublished']);
});

test('archiving the product takes its FAQs down in the same moment, and tells the marketplace', async () => {
  const seller = await app.seller();
  const { product_id } = await create(seller);
  const [live, draft] = [await makeFaq(seller, { product_id }), await makeFaq(seller, { product_id })];
  await move(seller, live, 'publish');
  await decide(seller, live, { version: 1, decision: 'live' });
  await seller.call('DELETE', `/products/${product_id}`);
  for (const faq of [live, draft])
    expect(await read(seller, faq)).toMatchObject({ status: 'archived', publication: 'not_published' });
  expect(outcome(await edit(seller, draft, { answer: 'No' }))).toEqual([409, 'invalid_transition']);
  expect(outcome(await move(seller, draft, 'publish'))).toEqual([409, 'invalid_transition']);
  await expect
    .poll(() => eventTypesOf(app, seller, live.faq_id), { timeout: 20_000 })
    .toEqual(['faq.submitted', 'faq.live', 'faq.unpublished']);
  expect(await eventTypesOf(app, seller, draft.faq_id)).toEqual([]);
});

test('the list is by target, language and position; archived ones are shown when asked for', async () => {
  const seller = await app.seller();
  const { product_id } = await create(seller);
  const second = await makeFaq(seller, { product_id, position: 2 });
  const first = await makeFaq(seller, { product_id, position: 1 });
  const gone = await makeFaq(seller, { product_id });
  await seller.call('DELETE', `/faqs/${gone.faq_id}`);
  expect((await seller.call('DELETE', `/faqs/${gone.faq_id}`)).status).toBe(204);
  expect(await list(seller)).toEqual([first.question, second.question]);
  expect(await list(seller, '?status=archived')).toEqual([gone.question]);
  expect(await list(seller, `?product_id=${product_id}&publication=pending`)).toEqual([]);
  expect(await list(seller, '?updated_since=2020-01-01T00:00:00Z')).toHaveLength(3);
});

test('versions never change, for the database too; a stale change is 412, a stranger’s FAQ 404', async () => {
  const [seller, other] = [await app.seller(), await app.seller()];
  const faq = await makeFaq(seller);
  const headers = { 'if-match': `"${faq.faq_id}.9"` };
  expect(outcome(await edit(seller, faq, { answer: 'No' }, headers))).toEqual([412, 'precondition_failed']);
  expect((await edit(seller, faq, { question: ` ${faq.question}` })).body).toMatchObject({ version: 1 });
  await edit(seller, faq, { answer: 'No, it is not.' });
  const path = `/faqs/${faq.faq_id}/versions`;
  const { body } = await seller.call<{ data: { version: number; answer: string }[] }>('GET', path);
  expect(body.data.map(({ version, answer }) => [version, answer])).toEqual([
    [2, 'No, it is not.'],
    [1, 'It is.'],
  ]);
  expect(outcome(await other.call('GET', path))).toEqual([404, 'not_found']);
  for (const verb of ['publish', 'unpublish'])
    expect(outcome(await move(other, faq, verb))).toEqual([404, 'not_found']);
  const change = {
    text: 'update faq_version set answer = $1 where seller_id = $2',
    values: ['x', seller.seller_id],
  };
  await expect(app.app.services.withSystem('jobs', 'write', (db) => db.run(change))).rejects.toThrow(
    'append-only',
  );
});

test('contact data, numbers of cards and control characters are refused at their text', async () => {
  const seller = await app.seller();
  const faq = await makeFaq(seller);
  const problem = async (json: object) => {
    const { status, body } = await edit(seller, faq, json);
    const detail = body['detail'] as { type: string; loc: string[]; ctx: object }[];
    return [status, ...detail.map(({ type, loc, ctx }) => [type, loc.join('.'), ctx])];
  };
  expect(await problem({ answer: 'Call 0412 345 679.' })).toEqual([
    422,
    ['contact_phone', 'body.answer', { start: 5, end: 17 }],
  ]);
  const asked = { question: 'Is it on www.example.com?' };
  expect(await problem(asked)).toMatchObject([422, ['contact_url', 'body.question', expect.anything()]]);
  expect(await problem({ answer: 'Mail a@b.com.au' })).toMatchObject([
    422,
    ['contact_email', 'body.answer', {}],
  ]);
  expect(await problem({ answer: 'Pay by 4111 1111 1111 1111' })).toMatchObject([
    422,
    ['payment_card_number', 'body.answer', {}],
  ]);
  expect(await problem({ answer: 'It\u202e is.' })).toMatchObject([
    422,
    ['control_chars', 'body.answer', {}],
  ]);
});
