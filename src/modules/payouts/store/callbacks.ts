/** What the provider called back about, in the system's scope. No payload is kept. */
import type { Db, Statement } from '../../../kernel/context.ts';
import { textArray } from '../../../platform/db/arrays.ts';
import {
  boolean,
  bytes,
  instant,
  integer,
  nullable,
  type RowOf,
  text,
  textOf,
} from '../../../platform/db/columns.ts';
import { command, part, raw, statement } from '../../../platform/db/statement.ts';
import { asRelation } from '../../../platform/db/table.ts';
import { insertWithJobs } from '../../../platform/jobs/job-statements.ts';

/** What was decided about a callback. */
const DECISIONS = [
  'fetched',
  'no_change',
  'duplicate',
  'conflict',
  'other_mode',
  'unknown_account',
  'recorded',
  'unsupported',
  'failed',
] as const;
export type Decision = (typeof DECISIONS)[number];

const GIVEN = {
  callback_id: text,
  job_id: text,
  provider: text,
  event_id: text,
  type: text,
  account: nullable(text),
  livemode: boolean,
  object_id: nullable(text),
  object_key: text,
  digest: bytes,
  created_at: instant,
  received_at: instant,
  /** Set if nothing is to be fetched. */
  decision: nullable(textOf<Decision>()),
};
export type NewCallback = RowOf<typeof GIVEN>;

/** Stores the callbacks that are not known, and plans the work of those that are not decided. @returns their ids */
export function insertCallbacks(
  rows: readonly NewCallback[],
  job: { readonly kind: string; readonly now: number },
): Statement<{ readonly id: string }> {
  const { from, element } = asRelation(GIVEN, rows);
  const names = Object.keys(GIVEN);
  const list = raw(names.filter((name) => name !== 'job_id').join(', '));
  const given = part`
    select u.callback_id as id, case when u.decision is null then u.object_key end as job_key,
           ${raw(names.map(element).join(', '))}
      from ${from} as u (${raw(names.join(', '))})`;
  const insert = part`
    insert into provider_callback (processed_at, ${list})
    select case when decision is not null then received_at end, ${list}
      from given
     order by event_id
        on conflict (provider, event_id) do nothing
    returning callback_id as id`;
  return insertWithJobs(given, insert, job);
}

/**
 * Whether the first callback with this id was about another object. The bytes of a repetition differ: an event counts the
 * receivers that have not had it yet.
 */
export async function isAboutAnother(db: Db, row: NewCallback): Promise<boolean> {
  const known = await db.one(statement({ type: text, object_key: text, livemode: boolean })`
    select type, object_key, livemode
      from provider_callback
     where provider = ${row.provider}
       and event_id = ${row.event_id}`);
  return (
    known !== undefined &&
    (known.type !== row.type || known.object_key !== row.object_key || known.livemode !== row.livemode)
  );
}

const waiting = {
  event_id: text,
  object_key: text,
  type: text,
  account: nullable(text),
  object_id: nullable(text),
  livemode: boolean,
  /** Null if the account is nobody's. */
  owner: nullable(text),
};
export type WaitingCallback = RowOf<typeof waiting>;

/** The callbacks of objects that wait, the first received first. */
export const waitingCallbacks = (db: Db, keys: readonly string[]): Promise<WaitingCallback[]> =>
  db.all(statement(waiting)`
    select c.event_id, c.object_key, c.type, c.account, c.object_id, c.livemode, o.seller_id as owner
      from provider_callback c
      left join payout_account_owner o on o.provider = c.provider and o.provider_account_id = c.account
     where c.object_key = any(${textArray(keys)}::text[])
       and c.decision is null
     order by c.received_at, c.event_id`);

/**
 * Whether a callback of a known id waits. Written so that the index of those that wait is not used: PostgreSQL mostly
 * takes its statistics while nothing waits, and would then read all of a backlog for each id.
 */
export const stillWaits = part`coalesce(c.decision, '') = ''`;

/** Decides callbacks that wait. */
export const decide = (
  db: Db,
  provider: string,
  callbacks: readonly Pick<WaitingCallback, 'event_id'>[],
  decision: Decision,
  { sellerId, at }: { readonly sellerId: string | null; readonly at: string },
): Promise<number> =>
  db.run(command`
    update provider_callback c
       set decision = ${decision}, seller_id = ${sellerId}, processed_at = ${at}::timestamptz
     where c.provider = ${provider}
       and c.event_id = any(${textArray(callbacks.map(({ event_id }) => event_id))}::text[])
       and ${stillWaits}`);

/** Decides that callbacks have failed which were received at an instant or before. @returns those that still wait */
export async function failCallbacks(db: Db, key: string, until: string, at: string): Promise<number> {
  await db.run(command`
    update provider_callback
       set decision = 'failed', processed_at = ${at}::timestamptz
     where object_key = ${key}
       and decision is null
       and received_at <= ${until}::timestamptz`);
  const row = await db.one(statement({ count: integer })`
    select count(*)::int as count
      from provider_callback
     where object_key = ${key}
       and decision is null`);
  return row?.count ?? 0;
}
