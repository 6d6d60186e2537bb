/** Statements on endpoints; each names the seller, so that they work in the seller's scope and the system's. */
import type { Db, Statement } from '../../../kernel/context.ts';
import { textArray } from '../../../platform/db/arrays.ts';
import { sql } from '../../../platform/db/sql.ts';
import { ENDPOINT_COLUMNS, type EndpointKey, type EndpointRow, type EndpointStatus } from './endpoint-row.ts';
import { UNNUMBERED_ENTRIES } from './passed-over.ts';

/** Most that is kept apart because it has no number yet; the sequencer numbers more in a second. */
const PASSED_OVER_MAX = 2_000;
const UNNUMBERED = `select entry from (${UNNUMBERED_ENTRIES}) w order by outbox_id limit ${PASSED_OVER_MAX}`;

/** Adds an endpoint that is told of what happens from now on. */
export async function insertEndpoint(
  db: Db,
  row: Omit<EndpointRow, 'fanned_through' | 'passed_over'>,
): Promise<void> {
  await db.run(
    sql(
      'insert into webhook_endpoint (seller_id, endpoint_id, url, description, event_types, payload, ordering, max_concurrency, ' +
        'status, reason, status_changed_at, secret, retired_secrets, failing_since, fanned_through, passed_over, version, created_at, updated_at) ' +
        "values ($1::text, $2, $3, $4, $5, $6, $7, $8, $9, null, $10, $11, '[]', null, " +
        'coalesce((select last from v_platform_event_sequence where seller_id = $1::text), 0), ' +
        `array(${UNNUMBERED}), 1, $10, $10)`,
      [
        row.seller_id,
        row.endpoint_id,
        row.url,
        row.description,
        row.event_types,
        row.payload,
        row.ordering,
        row.max_concurrency,
        row.status,
        row.created_at,
        row.secret,
      ],
    ),
  );
}

export interface EndpointFilter {
  readonly status?: EndpointStatus | undefined;
  readonly before?: string | undefined;
  readonly limit: number;
}

/** One more than the limit, newest first. */
export function listEndpoints(
  db: Db,
  sellerId: string,
  { status, before, limit }: EndpointFilter,
): Promise<EndpointRow[]> {
  return db.all<EndpointRow>(
    sql(
      `select ${ENDPOINT_COLUMNS} from webhook_endpoint where seller_id = $1 and status <> 'deleted' ` +
        'and ($2::text is null or status = $2) and ($3::text is null or endpoint_id < $3) order by endpoint_id desc limit $4',
      [sellerId, status ?? null, before ?? null, limit + 1],
    ),
  );
}

const ONE = `select ${ENDPOINT_COLUMNS} from webhook_endpoint where seller_id = $1 and endpoint_id = $2 and status <> 'deleted'`;

export function findEndpoint(db: Db, sellerId: string, endpointId: string): Promise<EndpointRow | undefined> {
  return db.one<EndpointRow>(sql(ONE, [sellerId, endpointId]));
}

/** The same, kept from {@link lockWithDeliveries} until the end of the transaction. */
export function shareEndpoint(
  db: Db,
  sellerId: string,
  endpointId: string,
): Promise<EndpointRow | undefined> {
  return db.one<EndpointRow>(sql(`${ONE} for key share`, [sellerId, endpointId]));
}

/** The same, held until the end of the transaction. */
export function lockEndpoint(db: Db, sellerId: string, endpointId: string): Promise<EndpointRow | undefined> {
  return db.one<EndpointRow>(sql(`${ONE} for no key update`, [sellerId, endpointId]));
}

/**
 * The same for whoever goes on to the endpoint's deliveries: nobody writes any of them meanwhile
 * ({@link shareEndpoints}).
 */
export function lockWithDeliveries(
  db: Db,
  sellerId: string,
  endpointId: string,
): Promise<EndpointRow | undefined> {
  return db.one<EndpointRow>(sql(`${ONE} for update`, [sellerId, endpointId]));
}

/** An endpoint whose deliveries may be written. */
export interface SharedRow {
  readonly endpoint_id: string;
  /** The worker that holds it. */
  readonly lease_owner: string | null;
}

const SHARE =
  'select w.endpoint_id, w.lease_owner from unnest($1::text[], $2::text[]) as k (seller_id, endpoint_id) join webhook_endpoint w using (seller_id, endpoint_id) ' +
  'for key share of w skip locked';

/**
 * Keeps {@link lockWithDeliveries} from endpoints until the end of the transaction. Whoever writes deliveries asks
 * for their endpoints first: so nobody who has some of an endpoint's deliveries waits for others of them. What else
 * is done to endpoints, leases and marks, goes on.
 *
 * @returns the endpoints whose deliveries may be written; those that somebody holds are left out
 */
export function shareEndpoints(endpoints: readonly EndpointKey[]): Statement<SharedRow> {
  return sql(SHARE, [
    textArray(endpoints.map(({ seller_id }) => seller_id)),
    textArray(endpoints.map(({ endpoint_id }) => endpoint_id)),
  ]);
}

/** Writes everything that a seller or the service changes; what the worker keeps for itself stays. */
export async function writeEndpoint(db: Db, row: EndpointRow): Promise<void> {
  await db.run(
    sql(
      'update webhook_endpoint set url = $3, description = $4, event_types = $5, payload = $6, ordering = $7, max_concurrency = $8, ' +
        'secret = $9, retired_secrets = $10, version = $11, updated_at = $12 where seller_id = $1 and endpoint_id = $2',
      [
        row.seller_id,
        row.endpoint_id,
        row.url,
        row.description,
        row.event_types,
        row.payload,
        row.ordering,
        row.max_concurrency,
        row.secret,
        JSON.stringify(row.retired_secrets),
        row.version,
        row.updated_at,
      ],
    ),
  );
}

/** Writes the status with what belongs to it, and the failing mark. */
export async function writeStatus(db: Db, row: EndpointRow): Promise<void> {
  await db.run(
    sql(
      'update webhook_endpoint set status = $3, reason = $4, status_changed_at = $5, failing_since = $6, version = $7, updated_at = $5 ' +
        'where seller_id = $1 and endpoint_id = $2',
      [
        row.seller_id,
        row.endpoint_id,
        row.status,
        row.reason,
        row.status_changed_at,
        row.failing_since,
        row.version,
      ],
    ),
  );
}

/** Forgets the secrets of an endpoint that is gone. */
export async function wipeSecrets(db: Db, sellerId: string, endpointId: string): Promise<void> {
  const text =
    "update webhook_endpoint set secret = '', retired_secrets = '[]' where seller_id = $1 and endpoint_id = $2";
  await db.run(sql(text, [sellerId, endpointId]));
}

/** Endpoints after another one in order of their ids, those of all sellers. */
export function endpointsAfter(db: Db, after: string, limit: number): Promise<EndpointRow[]> {
  const text = `select ${ENDPOINT_COLUMNS} from webhook_endpoint where endpoint_id > $1 and status <> 'deleted' order by endpoint_id limit $2`;
  return db.all<EndpointRow>(sql(text, [after, limit]));
}

/** Passes over everything that has happened so far. */
export async function skipToNow(db: Db, sellerId: string, endpointId: string): Promise<void> {
  await db.run(
    sql(
      'update webhook_endpoint set fanned_through = greatest(fanned_through, coalesce((select last from v_platform_event_sequence where seller_id = $1::text), 0)), ' +
        `passed_over = array(${UNNUMBERED}) where seller_id = $1::text and endpoint_id = $2`,
      [sellerId, endpointId],
    ),
  );
}
