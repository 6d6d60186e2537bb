/**
 * The inbox, one thread and the summary of a seller with 1,000, 100,000 and 1,000,000 messages, and messages taken in.
 * The limit of pages is a bare server that runs the same query; that of a larger inbox is also the smallest one. The
 * limit of the intake writes the same rows, each message in a transaction of its own. Set statements write the inboxes.
 */
import { fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { alternate, type Measured, type Side } from './lab/alternate.ts';
import { wireGet } from './lab/apply-load.ts';
import { makeSellers, type Seller, signIn } from './lab/sellers.ts';
import type { Service } from './lab/service.ts';
import { settle } from './lab/settle.ts';
import { heading, median, milliseconds, pairedRatio, rateOf, report, whole } from './lab/statistics.ts';
import { tell } from './lab/tell.ts';

const BARE = fileURLToPath(new URL('./lab/bare-server.ts', import.meta.url));
/** As many connections as the service has for requests. */
const POOL_SIZE = 8;
const CONNECTIONS = 16;
const IN_THREAD = 20;
const WAITING = 50;
/** Threads that are read, spread over the inbox. */
const PLACES = 500;
const BATCH = 500;
const BEGIN = '2026-01-01T00:00:00Z';
const ID_DIGITS = 26;

/** Each thread has a buyer of its own and twenty messages; those of fifty threads wait for an answer. */
const FILL = [
  `insert into buyer (seller_id, buyer_id, alias, first_seen_at)
   select $1, 'byr_' || lpad(n::text, ${ID_DIGITS}, '0'), 'buyer_' || n, $3::timestamptz
     from generate_series(1, $2::int / ${IN_THREAD}) n`,
  `insert into message_thread (seller_id, thread_id, topic, state, locked, message_count, unread_count, buyer_id,
     sent_in_row, turn_no, missed, last_message_at, respond_by, product_id, version, created_at, updated_at)
   select $1, 'thr_' || lpad(n::text, ${ID_DIGITS}, '0'), 'delivery',
          case when n <= ${WAITING} then 'awaiting_seller' else 'settled' end, false, ${IN_THREAD},
          case when n <= ${WAITING} then 1 else 0 end, 'byr_' || lpad(n::text, ${ID_DIGITS}, '0'), 0, 1, false,
          $3::timestamptz + n * interval '1 s', case when n <= ${WAITING} then '2100-01-01'::timestamptz end,
          'prd_x', 1, $3, $3
     from generate_series(1, $2::int / ${IN_THREAD}) n`,
  `insert into thread_turn (seller_id, thread_id, turn_no, opened_at, opened_on, policy_version,
     target_minutes, respond_by, ended_at, outcome, business_minutes)
   select $1, 'thr_' || lpad(n::text, ${ID_DIGITS}, '0'), 1, $3, '2026-01-01', 'default-1', 1440, '2100-01-01',
          case when n > ${WAITING} then $3::timestamptz end,
          case when n <= ${WAITING} then 'open' else 'in_time' end, 10
     from generate_series(1, $2::int / ${IN_THREAD}) n`,
  `insert into thread_message (seller_id, message_id, thread_id, origin, text, masked, attachment_ids, status,
     reasons, unread, sent_at, recorded_at)
   select $1, 'msg_' || lpad(n::text, ${ID_DIGITS}, '0'),
          'thr_' || lpad(((n - 1) / ${IN_THREAD} + 1)::text, ${ID_DIGITS}, '0'),
          'buyer', 'Where is my parcel? Message number ' || n, '{}', '{}', 'received', '{}',
          n % ${IN_THREAD} = 0 and n <= ${WAITING * IN_THREAD}, $3, $3::timestamptz + n * interval '1 ms'
     from generate_series(1, $2::int) n`,
];

interface Inbox {
  readonly seller: Seller;
  readonly size: number;
  readonly threads: readonly string[];
}

function inboxOf(seller: Seller, size: number): Inbox {
  const count = size / IN_THREAD;
  const places = Math.min(PLACES, count);
  const threads = Array.from({ length: places }, (_, index) => 1 + Math.floor((index * count) / places));
  return { seller, size, threads: threads.map((n) => `thr_${String(n).padStart(ID_DIGITS, '0')}`) };
}

interface Read {
  readonly name: string;
  readonly paths: (inbox: Inbox) => readonly string[];
  /** The same of the bare server. */
  readonly bare?: (inbox: Inbox) => readonly string[];
}
const always = (path: string) => () => [path];
const READS: readonly Read[] = [
  {
    name: '50 threads, newest first',
    paths: always('/messages/threads?limit=50'),
    bare: ({ seller }) => [`/threads/${seller.seller_id}/2100-01-01`],
  },
  {
    name: 'messages of one thread',
    paths: ({ threads }) => threads.map((id) => `/messages/threads/${id}/messages`),
    bare: ({ seller, threads }) => threads.map((id) => `/thread/${seller.seller_id}/${id}`),
  },
  { name: '50 threads with unread messages', paths: always('/messages/threads?unread=true&limit=50') },
  { name: '50 messages of all threads', paths: always('/messages?limit=50') },
  { name: 'summary', paths: always('/messages/summary') },
];

const rates = ({ results }: Measured): number[] => results.map(({ perSecond }) => perSecond);
const percent = (share: number): string => `${(100 * share).toFixed(0)} %`;

/** Rates and processor times, each of them beside the limit. */
function compare(name: string, ours: Measured, limit: Measured, aim: string): void {
  report({
    name,
    figure: rateOf(ours.results),
    limit: rateOf(limit.results),
    ratio: percent(pairedRatio(rates(ours), rates(limit))),
    aim,
  });
  report({
    name: '  processor time of an answer',
    figure: ours.spent.text,
    limit: limit.spent.text,
    ratio: percent(limit.spent.both / ours.spent.both),
    aim,
  });
}

interface Bench {
  readonly service: Service;
  readonly client: pg.Client;
  readonly inboxes: readonly Inbox[];
  readonly rounds: number;
}

async function measureReads({ service, client, inboxes, rounds }: Bench): Promise<void> {
  const bare = fork(BARE, [service.superuserUrl, String(POOL_SIZE)]);
  try {
    const [barePort] = (await once(bare, 'message')) as [number];
    const port = Number(new URL(service.url).port);
    for (const { name, paths, bare: limits } of READS) {
      const ours = inboxes.map((inbox): Side => {
        const requests = paths(inbox).map((path) => wireGet(`/api/v1${path}`, inbox.seller.token));
        return { port, pid: service.pid, requests };
      });
      const bares = inboxes.flatMap((inbox): Side[] =>
        limits === undefined
          ? []
          : [{ port: barePort, pid: bare.pid ?? 0, requests: limits(inbox).map((path) => wireGet(path)) }],
      );
      const found = await alternate(client, [...ours, ...bares], { connections: CONNECTIONS, rounds });
      const [few] = found;
      for (const [index, { size }] of inboxes.entries()) {
        const [own, limit] = [found[index], found[inboxes.length + index]];
        if (own === undefined || few === undefined) throw new Error('every side is measured');
        if (limit !== undefined) compare(`${name}, ${whole(size)}`, own, limit, '>= 60 %');
        if (own !== few) compare(`${name}, ${whole(size)}, beside fewest`, own, few, '>= 90 %');
      }
    }
  } finally {
    bare.kill();
    await once(bare, 'exit');
  }
}

const received = ({ seller, threads }: Inbox, number: number) => ({
  specversion: '1.0',
  id: randomUUID(),
  source: '/bench',
  type: 'marketplace.message.received',
  subject: threads[number % threads.length] ?? '',
  sellerid: seller.seller_id,
  time: new Date().toISOString(),
  data: { message_id: `m-${randomUUID()}`, role: 'buyer', text: 'Has my parcel left?', topic: 'delivery' },
});

const COPIED = ['marketplace_event', 'message_thread', 'thread_message', 'outbox', 'audit_entry'];
/** Tables of the same columns and indexes for the limit, with the threads that the messages belong to. */
async function makeBare(client: pg.Client, { seller, threads }: Inbox): Promise<void> {
  for (const table of COPIED) await client.query(`create table bare_${table} (like ${table} including all)`);
  await client.query(
    'insert into bare_message_thread select * from message_thread where seller_id = $1 and thread_id = any($2)',
    [seller.seller_id, threads],
  );
}

/** The rows that a message of a buyer writes who waits already, in one statement and so in one transaction. */
const TAKE = `
  with event as (
    insert into bare_marketplace_event (source, event_id, type, subject, seller_id, digest, status, occurred_at, recorded_at)
    values ('/bench', $1, 'marketplace.message.received', $2, $3, '\\x00', 'applied', now(), now())),
  thread as (
    update bare_message_thread
       set message_count = message_count + 1, unread_count = unread_count + 1, last_message_at = now(),
           heard_at = now(), asked_at = now(), version = version + 1, updated_at = now()
     where seller_id = $3 and thread_id = $2),
  message as (
    insert into bare_thread_message (seller_id, message_id, thread_id, external_message_id, origin, text, masked,
      attachment_ids, status, reasons, unread, content_digest, sent_at, recorded_at)
    values ($3, 'msg_' || $1, $2, $4, 'buyer', $5, '{}', '{}', 'received', '{}', true, $4, now(), now())),
  told as (
    insert into bare_outbox (seller_id, event_id, type, object_id, object_version, data, correlation, created_at)
    values ($3, 'evt_' || $1, 'message.received', $2, 1, $6::json, '{}', now()))
  insert into bare_audit_entry (seller_id, audit_id, at, actor_kind, action, target_type, target_id, result)
  values ($3, 'aud_' || $1, now(), 'marketplace', 'marketplace.message.received', 'thread', $2, 'done')`;

async function takeInBare(client: pg.Client, body: string): Promise<void> {
  const events = JSON.parse(body) as ReturnType<typeof received>[];
  await client.query('set synchronous_commit = off');
  for (const [index, { id, subject, sellerid, data }] of events.entries()) {
    // The last commit waits for the disk, as that of a request does.
    if (index === events.length - 1) await client.query('set synchronous_commit = on');
    const name = id.replaceAll('-', '').slice(0, ID_DIGITS);
    const object = JSON.stringify({ thread_id: subject, message: data });
    const values = [name, subject, sellerid, data.message_id, data.text, object];
    await client.query({ name: 'take', text: TAKE, values });
  }
}

async function measureIntake({ service, client, inboxes, rounds }: Bench): Promise<void> {
  const inbox = inboxes.at(-1);
  if (inbox === undefined) return;
  await makeBare(client, inbox);
  const [ours, limits]: [number[], number[]] = [[], []];
  // The first batch opens the turns, so it does not count.
  for (let round = 0; round <= 2 * rounds; round += 1) {
    const [own, bare] = [1, 2].map(() =>
      JSON.stringify(Array.from({ length: BATCH }, (_, number) => received(inbox, number))),
    );
    const limit = BATCH / ((await milliseconds(() => takeInBare(client, bare ?? ''))) / 1_000);
    const rate = BATCH / ((await milliseconds(() => tell(service, own ?? ''))) / 1_000);
    if (round === 0) continue;
    ours.push(rate);
    limits.push(limit);
  }
  report({
    name: `messages taken in, batches of ${BATCH}`,
    figure: `${whole(median(ours))}/s`,
    limit: `${whole(median(limits))}/s`,
    ratio: percent(pairedRatio(ours, limits)),
    aim: '>= 33 %',
  });
}

export async function benchMessages(service: Service, { quick }: { readonly quick: boolean }): Promise<void> {
  heading('Messages (limit: bare node:http and pg, or the same of 1,000 messages)');
  const sizes = quick ? [1_000, 10_000, 100_000] : [1_000, 100_000, 1_000_000];
  const sellers = await makeSellers(service, sizes.length);
  const inboxes = sellers.map((seller, index) => inboxOf(seller, sizes[index] ?? 0));
  const client = new pg.Client({ connectionString: service.superuserUrl });
  await client.connect();
  try {
    for (const { seller, size } of inboxes)
      for (const text of FILL) await client.query(text, [seller.seller_id, size, BEGIN]);
    await settle(service);
    await signIn(service, sellers);
    const bench = { service, client, inboxes, rounds: quick ? 2 : 4 };
    await measureReads(bench);
    await measureIntake(bench);
  } finally {
    await client.end();
  }
}
