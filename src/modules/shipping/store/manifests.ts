import {
  date,
  float,
  instant,
  integer,
  json,
  nullable,
  type RowOf,
  text,
} from '../../../platform/db/columns.ts';
import { lockName } from '../../../platform/db/lock-name.ts';
import { allOf, command, type Part, part, raw, statement } from '../../../platform/db/statement.ts';
import type { SellerDb } from '../../../platform/db/table.ts';
import type { PrintedAddress } from '../domain/label.ts';

const MANIFEST = {
  manifest_id: text,
  carrier: text,
  /** A day in Sydney. */
  dispatched_on: date,
  /** The number of the manifest of its day and carrier, from 1. */
  number: integer,
  parcels: integer,
  weight_g: float,
  /** The seller and its address when the manifest was made; null in manifests of the release before. */
  seller_name: nullable(text),
  sender: nullable(json<PrintedAddress>()),
  created_at: instant,
};
export type ManifestRow = RowOf<typeof MANIFEST>;

const LINE = {
  line_no: integer,
  shipment_id: text,
  order_id: text,
  order_number: text,
  service: text,
  tracking_number: text,
  recipient: text,
  destination: text,
  /** How the destination ends, before its country; null if it is not known, and in lines of the release before. */
  postcode: nullable(text),
  /** The number of the package in the shipment, from 1, and the number of packages. */
  package: integer,
  packages: integer,
  weight_g: float,
};
export type ManifestLine = RowOf<typeof LINE>;

const manifestsWhere = ({ seller_id }: SellerDb, tail: Part) => statement(MANIFEST)`
  select manifest_id, carrier, dispatched_on, number, parcels, weight_g::float8 as weight_g, seller_name,
         sender, created_at
    from shipping_manifest
   where seller_id = ${seller_id}
     and ${tail}`;

/** Locks the manifests of the seller until the transaction ends, so that no parcel gets on two manifests. */
export async function lockManifests({ db, seller_id }: SellerDb): Promise<void> {
  await lockName(db, `shipping_manifest/${seller_id}`);
}

/** The last manifest of a day and carrier. */
export const lastManifest = (
  ctx: SellerDb,
  { carrier, dispatched_on }: Pick<ManifestRow, 'carrier' | 'dispatched_on'>,
): Promise<ManifestRow | undefined> =>
  ctx.db.one(
    manifestsWhere(
      ctx,
      part`carrier = ${carrier} and dispatched_on = ${dispatched_on}::date order by number desc limit 1`,
    ),
  );

export async function insertManifest(
  { db, seller_id }: SellerDb,
  row: ManifestRow,
  lines: readonly ManifestLine[],
): Promise<void> {
  const { manifest_id, carrier, dispatched_on, number, parcels, weight_g, created_at } = row;
  const sender = row.sender === null ? null : JSON.stringify(row.sender);
  await db.run(command`
    insert into shipping_manifest
           (seller_id, manifest_id, carrier, dispatched_on, number, parcels, weight_g, seller_name, sender,
            created_at)
    values (${seller_id}, ${manifest_id}, ${carrier}, ${dispatched_on}::date, ${number}, ${parcels},
            ${weight_g}, ${row.seller_name}, ${sender}, ${created_at})`);
  const names = Object.keys(LINE);
  const typed = Object.entries(LINE).map(
    ([name, { sql }]) => `${name} ${name === 'weight_g' ? 'bigint' : sql}`,
  );
  await db.run(command`
    insert into shipping_manifest_line (seller_id, manifest_id, ${raw(names.join(', '))})
    select ${seller_id}, ${manifest_id}, ${raw(names.join(', '))}
      from jsonb_to_recordset(${JSON.stringify(lines)}::jsonb) as l (${raw(typed.join(', '))})`);
}

export const findManifest = (ctx: SellerDb, manifestId: string): Promise<ManifestRow | undefined> =>
  ctx.db.one(manifestsWhere(ctx, part`manifest_id = ${manifestId}`));

export const linesOf = ({ db, seller_id }: SellerDb, manifestId: string): Promise<ManifestLine[]> =>
  db.all(statement(LINE)`
    select line_no, shipment_id, order_id, order_number, service, tracking_number, recipient, destination,
           postcode, package, packages, weight_g::float8 as weight_g
      from shipping_manifest_line
     where seller_id = ${seller_id}
       and manifest_id = ${manifestId}
     order by line_no`);

interface ManifestFilter {
  readonly carrier?: string | undefined;
  readonly dispatched_on?: string | undefined;
}

/** The manifests, newest first, one more than the limit. */
export function listManifests(
  ctx: SellerDb,
  { carrier, dispatched_on }: ManifestFilter,
  before: string | undefined,
  limit: number,
): Promise<ManifestRow[]> {
  const where = allOf(
    carrier !== undefined && part`carrier = ${carrier}`,
    dispatched_on !== undefined && part`dispatched_on = ${dispatched_on}::date`,
    before !== undefined && part`manifest_id < ${before}`,
  );
  return ctx.db.all(manifestsWhere(ctx, part`${where} order by manifest_id desc limit ${limit + 1}`));
}
