/** Versions of the terms as the marketplace publishes them. */
import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { agreementOn, BASE, digestOf, outcome, stateOf } from '../../../../test/support/agreement.ts';
import { startTestApp } from '../../../../test/support/app.ts';
import { orderEvent } from '../../../../test/support/orders.ts';

const app = await startTestApp();
const { publish } = agreementOn(app);

test.each([
  ['with another text than the digest says', { text_sha256: digestOf('other') }, 'text_mismatch'],
  ['with a text of more than 256 KiB', { text: 'é'.repeat(131_073) }, 'data_invalid'],
  ['without an address', { url: 'terms' }, 'data_invalid'],
  ['with another version in the subject', { version: 'other' }, 'data_invalid'],
])('terms %s are refused', async (_what, more, code) => {
  await refused('refused', more, code);
});

test.each(['.', '..'])('a version named %s is refused: no client can send it in a path', (version) =>
  refused(version, { version }, 'data_invalid'),
);

async function refused(subject: string, more: object, code: string): Promise<void> {
  const text = 'Refused';
  const data = {
    ...{ version: 'refused', title: 'Terms', text, text_sha256: digestOf(text) },
    ...{ url: 'https://marketplace.example', effective_on: '2026-01-01', ...more },
  };
  const event = orderEvent(app, { seller_id: 'slr_any' }, 'agreement.published', subject, data);
  const [result] = await app.events(event);
  expect([result?.status, result?.code]).toEqual(['rejected', code]);
}

test('published terms never change, and an older one that comes late needs no acceptance', async () => {
  const seller = await app.seller();
  const newest = await publish();
  const send = async (data: object, more: object = {}) => {
    const event = orderEvent(app, { seller_id: 'slr_any' }, 'agreement.published', 'late', data, more);
    const [result] = await app.events({ ...event, id: randomUUID() });
    return result?.code ?? result?.status;
  };
  const late = {
    ...{ version: 'late', title: 'Terms', text_sha256: digestOf('late') },
    ...{ url: 'https://marketplace.example', effective_on: '2020-01-01', reacceptance_by: '2020-02-01' },
  };
  expect(await send(late)).toBe('applied');
  expect(await send(late)).toBe('stale');
  expect(await send({ ...late, summary_of_changes: ['Fees.'] })).toBe('stale');
  expect(await send({ ...late, text_sha256: digestOf('x') })).toBe('version_reused');
  expect((await stateOf(seller)).current?.version).toBe(newest);
  const { body } = await seller.call<{ data: { version: string }[] }>('GET', `${BASE}/versions?limit=200`);
  expect([body.data.at(0)?.version, body.data.at(-1)?.version]).toEqual([newest, 'late']);
  const paged = await seller.call<{ data: unknown[]; page: { next_cursor: string } }>(
    'GET',
    `${BASE}/versions?limit=1`,
  );
  const next = await seller.call<{ data: unknown[] }>(
    'GET',
    `${BASE}/versions?limit=1&cursor=${paged.body.page.next_cursor}`,
  );
  expect([...paged.body.data, ...next.body.data]).toEqual(body.data.slice(0, 2));
  expect((await seller.call<{ text: null }>('GET', `${BASE}/versions/late`)).body.text).toBeNull();
  const none = await seller.call('GET', `${BASE}/versions/none`);
  expect(outcome(none)).toEqual([404, 'not_found']);
  expect(none.body).toMatchObject({ detail: 'Your account has no agreement version none.' });
});
