/**
 * The inbox, one thread and the summary of a seller with 1,000 and with 1,000,000 messages. The limit is the same read
 * of the small inbox, measured in alternation. Set statements write the threads; fifty of each seller wait.
 */
import pg from 'pg';
import { type FlatRead, measureFlat } from './lab/flat.ts';
import { makeSellers, signIn } from './lab/sellers.ts';
import type { Service } from './lab/service.ts';
import { settle } from './lab/settle.ts';
import { heading } from './lab/statistics.ts';

const CONNECTIONS = 16;
const IN_THREAD = 20;
const WAITING = 50;
const BEGIN = '2026-01-01T00:00:00Z';

const FILL = [
  `insert into message_thread (seller_id, thread_id, topic, state, locked, message_count, unread_count,
     sent_in_row, turn_no, missed, last_message_at, respond_by, product_id, version, created_at, updated_at)
   select $1, 'thr_' || lpad(n::text, 26, '0'), 'delivery',
          case when n <= ${WAITING} then 'awaiting_seller' else 'settled' end, false, ${IN_THREAD},
          case when n <= ${WAITING} then 1 else 0 end, 0, 1, false, $3::timestamptz + n * interval '1 s',
          case when n <= ${WAITING} then '2100-01-01'::timestamptz end, 'prd_x', 1, $3, $3
     from generate_series(1, $2::int / ${IN_THREAD}) n`,
  `insert into thread_turn (seller_id, thread_id, turn_no, opened_at, opened_on, policy_version,
     target_minutes, respond_by, ended_at, outcome, business_minutes)
   select $1, 'thr_' || lpad(n::text, 26, '0'), 1, $3, '2026-01-01', 'default-1', 1440, '2100-01-01',
          case when n > ${WAITING} then $3::timestamptz end,
          case when n <= ${WAITING} then 'open' else 'in_time' end, 10
     from generate_series(1, $2::int / ${IN_THREAD}) n`,
  `insert into thread_message (seller_id, message_id, thread_id, origin, text, masked, attachment_ids, status,
     reasons, unread, sent_at, recorded_at)
   select $1, 'msg_' || lpad(n::text, 26, '0'), 'thr_' || lpad(((n - 1) / ${IN_THREAD} + 1)::text, 26, '0'),
          'buyer', 'Where is my parcel? Message number ' || n, '{}', '{}', 'received', '{}',
          n % ${IN_THREAD} = 0 and n <= ${WAITING * IN_THREAD}, $3, $3::timestamptz + n * interval '1 ms'
     from generate_series(1, $2::int) n`,
];

const threadOf = (messages: number): string => `thr_${String(messages / IN_THREAD / 2).padStart(26, '0')}`;
const READS: readonly FlatRead[] = [
  { name: 'threads, newest first', path: () => '/messages/threads' },
  { name: 'threads?unread=true', path: () => '/messages/threads?unread=true' },
  { name: 'threads?waiting_on=seller', path: () => '/messages/threads?waiting_on=seller' },
  { name: 'messages of one thread', path: (messages) => `/messages/threads/${threadOf(messages)}/messages` },
  { name: 'messages of all threads', path: () => '/messages' },
  { name: 'summary', path: () => '/messages/summary' },
];

export async function benchMessages(service: Service, { quick }: { readonly quick: boolean }): Promise<void> {
  heading('Messages (limit: the same of 1,000 messages)');
  const sizes = [1_000, quick ? 100_000 : 1_000_000] as const;
  const sellers = await makeSellers(service, sizes.length);
  const client = new pg.Client({ connectionString: service.superuserUrl });
  await client.connect();
  try {
    for (const [index, size] of sizes.entries())
      for (const text of FILL) await client.query(text, [sellers[index]?.seller_id, size, BEGIN]);
  } finally {
    await client.end();
  }
  await settle(service);
  await signIn(service, sellers);
  await measureFlat(service, READS, { sellers, sizes, connections: CONNECTIONS, rounds: quick ? 3 : 7 });
}
