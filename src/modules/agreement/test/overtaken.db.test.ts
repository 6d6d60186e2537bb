/** What a request or a job has read may change before its effect. On a manual clock. */
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { expect, test, vi } from 'vitest';
import { type Answer, startTestApp, type TestSeller } from '../../../../test/support/app.ts';
import { eventually } from '../../../../test/support/feeds.ts';
import { apply, orderEvent } from '../../../../test/support/orders.ts';
import { joinTeam } from '../../../../test/support/team.ts';

const DAY_MS = 86_400_000;
const app = await startTestApp({ CLOCK: 'manual', CLOCK_START: '2026-07-01T01:00:00Z' });
const BASE = '/seller-agreement';
const STATEMENT = 'I accept these terms for Test Goods.';
const digestOf = (text: string) => createHash('sha256').update(text).digest('hex');
const now = () => app.app.services.now();
const iso = (ms: number) => new Date(ms).toISOString();
type Caller = Pick<TestSeller, 'call'>;

let published = 0;
/** Publishes a version that is newer than all others. */
async function publish(): Promise<string> {
  published += 1;
  const version = `v${published}`;
  const text = `Terms ${version}`;
  const data = {
    ...{ version, title: 'Terms of sale', text, text_sha256: digestOf(text) },
    url: 'https://marketplace.example/terms',
    effective_on: iso(now() + published * DAY_MS).slice(0, 10),
  };
  await apply(app, orderEvent(app, { seller_id: 'slr_any' }, 'agreement.published', version, data));
  return version;
}

test.each<[string, (owner: Caller, member: string) => Promise<Answer<unknown>>]>([
  ['removed', (owner, member) => owner.call('DELETE', `/sellers/me/members/${member}`)],
  [
    'demoted',
    (owner, member) => owner.call('PATCH', `/sellers/me/members/${member}`, { json: { roles: ['viewer'] } }),
  ],
])('a member that is %s while its body arrives accepts nothing', async (_how, change) => {
  const seller = await app.seller({ plan: 'Small' });
  const other = await joinTeam(app, seller, ['owner']);
  const version = await publish();
  const body = JSON.stringify({ version, text_sha256: digestOf(`Terms ${version}`), statement: STATEMENT });
  const looksUp = vi.spyOn(app.app.services, 'withSystem');
  const sent = request(`${app.url}/api/v1${BASE}/acceptances`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${await app.demo.mint({ email: other.email })}`,
      ...{ 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) },
    },
  });
  const answered = once(sent, 'response');
  sent.write(body.slice(0, 20));
  const found = await eventually(
    async () => looksUp.mock.calls.findIndex(([reason]) => reason === 'resolve-identity'),
    (index) => index >= 0,
  );
  await looksUp.mock.results[found]?.value;
  looksUp.mockRestore();
  expect((await change(seller, other.member_id)).status).toBeLessThan(300);
  sent.end(body.slice(20));
  const [answer] = (await answered) as [IncomingMessage];
  answer.resume();
  expect(answer.statusCode).toBe(401);
  expect((await seller.call<{ data: unknown[] }>('GET', `${BASE}/acceptances`)).body.data).toEqual([]);
});
