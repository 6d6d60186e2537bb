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
import type { EndpointStatus, Ordering } from '../domain/statuses.ts';
import { UNNUMBERED_ENTRIES } from './skipped-events.ts';

/** A replaced secret. It signs too until this instant. */
interface RetiredSecret {
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
  /** Skipped events: older than the endpoint and without a number (skipped-events.ts). The name is of release 1.0.0. */
  passed_over: texts,
});
export type EndpointRow = RowIn<typeof endpoints>;

/** The columns that workers read, with the seller. */
export const ENDPOINT = { seller_id: text, ...endpoints.columns };
export type OwnedEndpoint = RowOf<typeof ENDPOINT>;
export type EndpointKey = Pick<OwnedEndpoint, 'seller_id' | 'endpoint_id'>;

/**
 * SQL condition on an endpoint under an alias: the service sends events to it. While a seller's tokens are refused the
 * service sends nothing and keeps the events, as for a paused endpoint.
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
 * `for key share` conflicts with `for update` only. A transaction locks the endpoint before its deliveries: `for
 * update` if it changes many of them, so that no other transaction writes them.
 */
type EndpointLock = 'for key share' | 'for no key update' | 'for update';

export const isFailing = (failing: boolean): Part =>
  part`(failing_since is not null and status in ('active', 'disabled')) = ${failing}`;
export const notDeleted = part`status <> 'deleted'`;

export const findEndpoint = (
  at: SellerDb,
  endpointId: string,
  lock?: EndpointLock,
): Promise<EndpointRow | undefined> =>
  endpoints.one(at, part`endpoint_id = ${endpointId} and ${notDeleted} ${raw(lock ?? '')}`);

/** The number of endpoints that counts towards the plan. */
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

/** A `from` clause: the endpoints of some keys, as `w`. */
export const endpointsOf = (keys: readonly EndpointKey[]): Part => part`
  ${keysOf(keys)} join webhook_endpoint w using (seller_id, endpoint_id)`;

/**
 * Locks endpoints `for key share` until the end of the transaction. A seller's lock `for update` waits for it; changes
 * of leases and marks do not.
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

/** Most skipped events of an endpoint. The sequencer numbers more than this in a second. */
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
