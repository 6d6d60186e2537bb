import { dayOf } from '../../../kernel/australia/sydney.ts';
import type { SellerCtx } from '../../../kernel/context.ts';
import { fail } from '../../../kernel/errors.ts';
import { shippingErrors } from '../errors.ts';
import {
  insertManifest,
  lastManifest,
  lockManifests,
  type ManifestLine,
  type ManifestRow,
} from '../store/manifests.ts';
import { type ParcelRow, parcelsToManifest, receiverOf } from '../store/parcels.ts';
import { loadSender } from '../store/sender.ts';
import { printedAddress } from './label-addresses.ts';

/** The most parcels of one manifest. A van takes fewer. Further parcels go on the next manifest. */
const PACKAGES_MAX = 1_000;

type Line = Omit<ManifestLine, 'line_no'>;

const packagesOf = ({ packages }: ParcelRow): number => Math.max(1, packages?.length ?? 0);

/** The first parcels whose packages fit, at least one parcel. */
function fitting(parcels: readonly ParcelRow[]): readonly ParcelRow[] {
  let packages = 0;
  const end = parcels.findIndex((parcel, index) => {
    packages += packagesOf(parcel);
    return index > 0 && packages > PACKAGES_MAX;
  });
  return end < 0 ? parcels : parcels.slice(0, end);
}

/** One row for each package, with its own number if it has one. */
function linesOf(parcel: ParcelRow): Line[] {
  const { name, company, city, state, postcode, country } = receiverOf(parcel);
  const packed = parcel.packages ?? [];
  const packages = packagesOf(parcel);
  const area = [city, state, postcode, country === 'AU' ? null : country];
  return Array.from({ length: packages }, (_, index) => ({
    shipment_id: parcel.shipment_id,
    order_id: parcel.order_id,
    order_number: parcel.order_number,
    service: parcel.service ?? '',
    tracking_number: parcel.tracking_numbers?.[index] ?? parcel.tracking_number,
    recipient: name ?? company ?? '',
    destination: area.filter(Boolean).join(' '),
    postcode,
    package: index + 1,
    packages,
    weight_g: packed[index]?.weight_g ?? 0,
  }));
}

/**
 * Makes a manifest of the parcels of a day and carrier that are not on a manifest yet. If there are none, it returns
 * the last manifest of that day and carrier, so a repetition changes nothing.
 *
 * @param dispatched_on the day in Sydney
 * @throws ApiError 409 `nothing_to_manifest`
 */
export async function makeManifest(
  ctx: SellerCtx,
  { carrier, dispatched_on }: { readonly carrier: string; readonly dispatched_on: string },
): Promise<{ readonly manifest: ManifestRow; readonly created: boolean }> {
  await lockManifests(ctx);
  const { start, next } = dayOf(dispatched_on);
  const [from, to] = [new Date(start).toISOString(), new Date(next).toISOString()];
  const parcels = await parcelsToManifest(ctx, { carrier, from, to, limit: PACKAGES_MAX });
  const last = await lastManifest(ctx, { carrier, dispatched_on });
  if (parcels.length === 0) {
    if (last === undefined) throw fail(shippingErrors.nothing_to_manifest);
    return { manifest: last, created: false };
  }
  const lines = fitting(parcels)
    .flatMap(linesOf)
    .map((line, index) => ({ line_no: index + 1, ...line }));
  const { business_name, address } = await loadSender(ctx);
  const manifest: ManifestRow = {
    manifest_id: ctx.ids.next('man_'),
    carrier,
    dispatched_on,
    number: (last?.number ?? 0) + 1,
    parcels: lines.length,
    weight_g: lines.reduce((sum, { weight_g }) => sum + weight_g, 0),
    seller_name: business_name,
    sender: address === null ? null : printedAddress(address, null),
    created_at: ctx.at(),
  };
  await insertManifest(ctx, manifest, lines);
  return { manifest, created: true };
}
