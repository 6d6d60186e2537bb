/** Endpoints. Each statement names the seller, so that it works in the seller's scope and the system's. */
import { textArray } from '../../../platform/db/arrays.ts';
import {
  bigint,
  instant,
  integer,
  json,
  nullable,
  type RowOf,
  text,
  textOf,
  texts,
} from '../../../platform/db/columns.ts';
import { IN_STANDING } from '../../../platform/db/read-standing.ts';
import { command, type Part, part, raw, statement } from '../../../platform/db/statement.ts';
import { defineTable, type RowIn, type SellerDb } from '../../../platform/db/table.ts';
import type { Payload } from '../domain/event-body.ts';
import { UNNUMBERED_ENTRIES } from './skipped-events.ts';

export const ENDPOINT_STATUSES = ['active', 'paused', 'disabled'] as const;
export type EndpointStatus = (typeof ENDPOINT_STATUSES)[number];
export const ORDERINGS = ['per_object', 'none'] as const;
export type Ordering = (typeof ORDERINGS)[number];

/** A secret that another one has replaced; it signs too until this instant. */
export interface RetiredSecret {
  readonly secret: string;
  readonly until: string;
}

export const endpoints = defineTable('webhook_endpoint', 'endpoint_id', {
  url: text,
  description: nullable(text),
  event_types: texts,
  payload: textOf<Payload>(),
  ordering: textOf<Ordering>(),
  max_concurrency: integer,
  status: textOf<EndpointStatus | 'deleted'>(),
  reason: nullable(text),
  status_changed_at: instant,
  /** Sealed, like the retired ones. */
  secret: text,
  retired_secrets: json<readonly RetiredSecret[]>(),
  failing_since: nullable(instant),
  /** Events up to this number have deliveries. */
  fanned_through: bigint,
  /** Events without a number that the endpoint does not get: they are older than it (skipped-events.ts). */
  passed_over: texts,
});
export type EndpointRow = RowIn<typeof endpoints>;

/** The columns that workers read, with the seller. */
export const ENDPOINT = { seller_id: text, ...endpoints.columns };
export type OwnedEndpoint = RowOf<typeof ENDPOINT>;
export type EndpointKey = Pick<OwnedEndpoint, 'seller_id' | 'endpoint_id'>;

/**
 * SQL condition on an endpoint under an alias: the service sends events to it. While a seller's tokens are refused, it
 * does not; events are kept, as for a paused endpoint.
 */
export const receives = (alias: string): Part =>
  raw(`(${alias}.status = 'active' and exists (
         select from v_sellers_standing s where s.seller_id = ${alias}.seller_id and ${IN_STANDING}))`);

/** The columns of an alias as workers see them: an endpoint that receives nothing is paused. */
export const workerColumns = (alias: string): Part => part`
  ${raw(alias)}.seller_id, ${raw(endpoints.listOf(alias).texts.join('').replace(`${alias}.status,`, ''))},
  case when ${raw(alias)}.status = 'active' and not ${receives(alias)} then 'paused' else ${raw(alias)}.status
   end as status`;

/**
 * `for key share` keeps `for update` away until the end of the transaction, and nothing else. A transaction locks the
 * endpoint before its deliveries: `for update` if it goes on to many of them, so that no other one writes them.
 */
export type EndpointLock = 'for key share' | 'for no key update' | 'for update';

export const notDeleted = part`status <> 'deleted'`;

export const findEndpoint = (
  { db, seller_id }: SellerDb,
  endpointId: string,
  lock?: EndpointLock,
): Promise<EndpointRow | undefined> =>
  db.one(endpoints.select(seller_id, part`endpoint_id = ${endpointId} and ${notDeleted} ${raw(lock ?? '')}`));

/** Endpoints of the plan's count; holds the counter if the transaction has changed it. */
export async function countEndpoints({ db, seller_id }: SellerDb): Promise<number> {
  const row = await db.one(statement({ used: integer })`
    select used
      from v_platform_usage
     where seller_id = ${seller_id}
       and resource = 'webhook_endpoints'`);
  return row?.used ?? 0;
}

const keysOf = (keys: readonly EndpointKey[]): Part => part`
  unnest(${textArray(keys.map(({ seller_id }) => seller_id))}::text[],
         ${textArray(keys.map(({ endpoint_id }) => endpoint_id))}::text[]) as k (seller_id, endpoint_id)`;

/** Endpoints of keys, as `w`, for a `from` clause. */
export const endpointsOf = (keys: readonly EndpointKey[]): Part => part`
  ${keysOf(keys)} join webhook_endpoint w using (seller_id, endpoint_id)`;

/**
 * Keeps sellers' locks `for update` from endpoints until the end of the transaction. Leases and marks go on.
 *
 * @returns the endpoints whose deliveries may be written, with their holders; locked ones are left out
 */
export const shareEndpoints = (keys: readonly EndpointKey[]) =>
  statement({ endpoint_id: text, lease_owner: nullable(text) })`
    select w.endpoint_id, w.lease_owner
      from ${endpointsOf(keys)}
       for key share of w skip locked`;

/** Endpoints of all sellers after an id, in the order of their ids. */
export const endpointsAfter = (after: string, limit: number) => statement(ENDPOINT)`
  select seller_id, ${endpoints.list}
    from webhook_endpoint
   where endpoint_id > ${after}
     and status <> 'deleted'
   order by endpoint_id
   limit ${limit}`;

/** Most events without a number that are kept apart; the sequencer numbers more in a second. */
const SKIPPED_MAX = 2_000;

/** Skips everything that has happened so far. */
export async function skipToNow({ db, seller_id }: SellerDb, endpointId: string): Promise<void> {
  await db.run(command`
    update webhook_endpoint
       set fanned_through = greatest(fanned_through,
             coalesce((select last from v_platform_event_sequence where seller_id = ${seller_id}), 0)),
           passed_over = array(
             select entry
               from (${UNNUMBERED_ENTRIES(part`${seller_id}`)}) w
              order by outbox_id
              limit ${SKIPPED_MAX})
     where seller_id = ${seller_id}
       and endpoint_id = ${endpointId}`);
}

export const markFailing = ({ seller_id, endpoint_id }: EndpointKey, since: string) => command`
  update webhook_endpoint
     set failing_since = ${since}
   where seller_id = ${seller_id}
     and endpoint_id = ${endpoint_id}
     and failing_since is null`;

export const markHealthy = ({ seller_id, endpoint_id }: EndpointKey) => command`
  update webhook_endpoint
     set failing_since = null
   where seller_id = ${seller_id}
     and endpoint_id = ${endpoint_id}`;
