import type { Db } from '../../../kernel/context.ts';
import { sql } from '../../../platform/db/sql.ts';

/** A manifest as stored; instants are RFC 3339, the day is one in Sydney. */
export interface ManifestRow {
  readonly manifest_id: string;
  readonly carrier: string;
  readonly dispatched_on: string;
  /** Counts the manifests of a day and carrier, from 1. */
  readonly number: number;
  readonly parcels: number;
  readonly weight_g: number;
  readonly created_at: string;
}

export interface ManifestLine {
  readonly line_no: number;
  readonly shipment_id: string;
  readonly order_id: string;
  readonly order_number: string;
  readonly service: string;
  readonly tracking_number: string;
  readonly recipient: string;
  readonly destination: string;
  /** Which package of the shipment, from 1, and of how many. */
  readonly package: number;
  readonly packages: number;
  readonly weight_g: number;
}

const COLUMNS =
  "manifest_id, carrier, to_char(dispatched_on, 'YYYY-MM-DD') as dispatched_on, number, parcels, weight_g::float8 as weight_g, created_at";

/** Manifests of a seller are made one after the other: no parcel stands on two. */
export async function lockManifests(db: Db, sellerId: string): Promise<void> {
  await db.run(
    sql("select pg_advisory_xact_lock(hashtextextended('shipping_manifest/' || $1, 0))", [sellerId]),
  );
}

/** The last manifest of a day and carrier. */
export function lastManifest(
  db: Db,
  sellerId: string,
  { carrier, dispatched_on }: { readonly carrier: string; readonly dispatched_on: string },
): Promise<ManifestRow | undefined> {
  return db.one<ManifestRow>(
    sql(
      `select ${COLUMNS} from shipping_manifest where seller_id = $1 and carrier = $2 and dispatched_on = $3::date ` +
        'order by number desc limit 1',
      [sellerId, carrier, dispatched_on],
    ),
  );
}

export async function insertManifest(
  db: Db,
  sellerId: string,
  row: ManifestRow,
  lines: readonly ManifestLine[],
): Promise<void> {
  await db.run(
    sql(
      'insert into shipping_manifest (seller_id, manifest_id, carrier, dispatched_on, number, parcels, weight_g, created_at) ' +
        'values ($1, $2, $3, $4::date, $5, $6, $7, $8)',
      [
        sellerId,
        row.manifest_id,
        row.carrier,
        row.dispatched_on,
        row.number,
        row.parcels,
        row.weight_g,
        row.created_at,
      ],
    ),
  );
  await db.run(
    sql(
      'insert into shipping_manifest_line (seller_id, manifest_id, line_no, shipment_id, order_id, order_number, service, tracking_number, recipient, destination, package, packages, weight_g) ' +
        'select $1, $2, l.* from jsonb_to_recordset($3::jsonb) as l (line_no int, shipment_id text, order_id text, order_number text, ' +
        'service text, tracking_number text, recipient text, destination text, package int, packages int, weight_g bigint)',
      [sellerId, row.manifest_id, JSON.stringify(lines)],
    ),
  );
}

export function findManifest(db: Db, sellerId: string, manifestId: string): Promise<ManifestRow | undefined> {
  return db.one<ManifestRow>(
    sql(`select ${COLUMNS} from shipping_manifest where seller_id = $1 and manifest_id = $2`, [
      sellerId,
      manifestId,
    ]),
  );
}

export function linesOf(db: Db, sellerId: string, manifestId: string): Promise<ManifestLine[]> {
  return db.all<ManifestLine>(
    sql(
      'select line_no, shipment_id, order_id, order_number, service, tracking_number, recipient, destination, package, packages, weight_g::float8 as weight_g ' +
        'from shipping_manifest_line where seller_id = $1 and manifest_id = $2 order by line_no',
      [sellerId, manifestId],
    ),
  );
}

export interface ManifestFilter {
  readonly carrier?: string | undefined;
  readonly dispatched_on?: string | undefined;
  readonly before: string | null;
  readonly limit: number;
}

/** One more than the limit, newest first. */
export function listManifests(db: Db, sellerId: string, filter: ManifestFilter): Promise<ManifestRow[]> {
  const { carrier = null, dispatched_on = null, before, limit } = filter;
  return db.all<ManifestRow>(
    sql(
      `select ${COLUMNS} from shipping_manifest where seller_id = $1 and ($2::text is null or carrier = $2) ` +
        'and ($3::date is null or dispatched_on = $3::date) and ($4::text is null or manifest_id < $4) order by manifest_id desc limit $5',
      [sellerId, carrier, dispatched_on, before, limit + 1],
    ),
  );
}
