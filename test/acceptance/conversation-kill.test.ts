/**
 * `kill -9` while the deadlines of threads and tickets pass: each warning and each missed deadline is told exactly once,
 * at its instant. `CONVERSATION_KILLS` is the number of kills.
 */
import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { INTERNAL_TOKEN, type Member, prepareCluster } from '../support/cluster.ts';
import { eventually } from '../support/feeds.ts';
import { testDatabase } from '../support/pg.ts';
import { runOn } from '../support/test-server.ts';

const KILLS = Number(process.env['CONVERSATION_KILLS'] ?? 3);
const SELLERS = 3;
/** Instants at which conversations begin, and how far they are apart. */
const ROUNDS = 4;
const ROUND_MS = 11 * 60_000;
const DAY_MS = 86_400_000;

/** After the instants at which the sessions of the sellers are issued. */
const startAt = Date.now() + 600_000;
const database = await testDatabase();
const cluster = await prepareCluster(database.url);
const start = (): Promise<Member> =>
  cluster.start({
    ...{ APP_ENV: 'staging', CLOCK: 'manual', CLOCK_START: new Date(startAt).toISOString() },
    ...{ RATE_LIMITS: 'off', LOG_LEVEL: 'error' },
  });
let member = await start();
const rows = <Row extends object>(text: string): Promise<Row[]> =>
  runOn(database.adminUrl, async (client) => (await client.query<Row>(text)).rows);

/** Calls the internal listener; undefined if the process dies. */
const internal = async (path: string, body: unknown): Promise<Response | undefined> =>
  fetch(`${member.internalUrl}/internal/v1/${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${INTERNAL_TOKEN}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  }).catch(() => undefined);
const moveTo = async (at: number): Promise<boolean> =>
  (await internal('clock', { now: new Date(at).toISOString() }))?.status === 200;

async function begin(sellers: readonly string[], at: number): Promise<void> {
  const time = new Date(at).toISOString();
  const event = (sellerid: string, type: string, subject: string, data: object) => ({
    ...{ specversion: '1.0', id: randomUUID(), source: '/conversation-kill', type: `marketplace.${type}` },
    ...{ subject, sellerid, time, data },
  });
  const events = sellers.flatMap((seller) => {
    const order = `ord_${randomUUID().replaceAll('-', '')}`;
    const line = { kind: 'item', title: 'Mug', quantity: 1, unit_price_minor: 2_000 };
    const buyer = { customer_ref: randomUUID() };
    return [
      event(seller, 'order.placed', order, { currency: 'AUD', placed_at: time, buyer, lines: [line] }),
      event(seller, 'message.received', order, { message_id: randomUUID(), text: 'Where is it?' }),
      event(seller, 'ticket.opened', randomUUID(), { kind: 'marketplace_request', text: 'Please answer.' }),
    ];
  });
  const answer = await internal('events', events);
  const { results = [] } = ((await answer?.json()) ?? {}) as { results?: { status: string }[] };
  expect(results.map(({ status }) => status)).toEqual(events.map(() => 'applied'));
}

/** What must be told, and when: each warning and each missed deadline. */
const plan = () =>
  rows<{ told: string }>(`
    select t.thread_id || ' ' || d.type || ' ' || to_char(d.at at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS.MS') as told
      from thread_turn t,
           lateral (values ('thread.response_due', t.warn_at), ('thread.response_overdue', t.respond_by)) d (type, at)
    union all
    select c.ticket_id || ' ' || c.metric || ' ' || d.type || ' '
             || to_char(d.at at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS.MS')
      from sla_clock c,
           lateral (values ('ticket.sla_due', c.warn_at),
                           ('ticket.sla_breached', c.due_at + interval '1 millisecond')) d (type, at)
    order by 1`);
/** What was told, and when. */
const told = () =>
  rows<{ told: string }>(`
    select object_id || ' ' || coalesce(data #>> '{object,clock,metric}' || ' ', '') || type || ' '
             || to_char(created_at at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS.MS') as told
      from outbox
     where type in ('thread.response_due', 'thread.response_overdue', 'ticket.sla_due', 'ticket.sla_breached')
     order by 1`);

test(`after ${KILLS} kills each warning and each missed deadline was told once, at its instant`, async () => {
  for (let seller = 0; seller < SELLERS; seller += 1) await cluster.seller(member);
  const sellers = (await rows<{ seller_id: string }>('select seller_id from seller')).map(
    (row) => row.seller_id,
  );
  for (let round = 0; round < ROUNDS; round += 1) {
    const at = startAt + (round + 1) * ROUND_MS;
    expect(await moveTo(at)).toBe(true);
    await begin(sellers, at);
  }
  const expected = await plan();
  expect(expected).toHaveLength(SELLERS * ROUNDS * 6);

  let over = false;
  let killed = 0;
  const killing = (async () => {
    for (; killed < KILLS; killed += 1) {
      // The last kill comes before the last third.
      const after = ((killed + Math.random()) * expected.length) / KILLS / 1.5;
      await eventually(
        async () => over || (await told()).length > after,
        (now) => now,
        120_000,
      );
      if (over) break;
      await member.end('SIGKILL');
      // The leases of the dead process would end after half a minute.
      await rows('update job set lease_until = null');
      member = await start();
    }
  })();
  await eventually(
    () => moveTo(startAt + 21 * DAY_MS),
    (moved) => moved,
    240_000,
  );
  over = true;
  await killing;
  expect(killed).toBe(KILLS);
  expect(await told()).toEqual(expected);
}, 400_000);
