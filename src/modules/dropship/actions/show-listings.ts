/** Listings as the API shows them, with what they would earn at the live price. */
import { sydneyDate } from '../../../kernel/australia/sydney.ts';
import type { Clock } from '../../../kernel/context.ts';
import { currencyExponent, jsonOrNull, minorToJson } from '../../../kernel/money.ts';
import type { SellerDb } from '../../../platform/db/table.ts';
import { scheduleAt } from '../../fees/index.ts';
import { productsById } from '../../products/index.ts';
import { earningsOf } from '../domain/earnings.ts';
import { type Mirrored, mirrorOf } from '../domain/mirror.ts';
import type { WireListing } from '../schemas/listing.ts';
import { type ListingRow, readTold, type ToldRow } from '../store/listings.ts';

type At = SellerDb & { readonly now: Clock };

/** What decides the units of a listing. */
export const mirrored = (row: ListingRow, told: ToldRow): Mirrored => ({
  ...told,
  unit_cost_minor: told.asked_cost_minor,
  unanswered: Number(told.unanswered),
  buffer_units: row.buffer_units,
  empty_at: row.empty_at,
  paused_by_seller: row.paused_reasons.includes('by_seller'),
});

/** What the units of listings would earn, by the ids of the listings; null without a live price or without rates. */
async function earningsReader(at: At, rows: readonly ListingRow[], currency: string) {
  const [products, schedule] = await Promise.all([
    productsById(
      at,
      rows.map(({ product_id }) => product_id),
    ),
    scheduleAt(at.db, currency, sydneyDate(at.now())),
  ]);
  const byId = new Map(products.map((product) => [product.product_id, product]));
  return (row: ListingRow) => {
    const { price_minor: price = null, category = null } = byId.get(row.product_id) ?? {};
    const known = price !== null && schedule !== undefined;
    return { price, earned: known ? earningsOf(schedule, { price, category }, row) : null };
  };
}

/** @param told default: read now */
export async function showListings(
  at: At,
  rows: readonly ListingRow[],
  told?: ReadonlyMap<string, ToldRow>,
): Promise<WireListing[]> {
  const known =
    told ??
    (await readTold(
      at,
      rows.map(({ listing_id }) => listing_id),
    ));
  const [first] = known.values();
  if (first === undefined) return [];
  const { currency } = first;
  const earningsFor = await earningsReader(at, rows, currency);
  return rows.flatMap((row) => {
    const told = known.get(row.listing_id);
    if (told === undefined) return [];
    const { count, pending, available } = mirrorOf(mirrored(row, told), at.now());
    const { price, earned } = earningsFor(row);
    return [
      {
        ...{ listing_id: row.listing_id, product_id: row.product_id },
        supplier_item_id: row.supplier_item_id,
        supplier: { supplier_id: row.supplier_id, name: told.supplier_name },
        ...{ status: row.status, paused_reasons: [...row.paused_reasons], buffer_units: row.buffer_units },
        ...{ on_hand_reported: count, as_of: told.available_as_of, pending },
        available: row.status === 'active' ? available : 0,
        ...{ currency, currency_exponent: currencyExponent(currency) },
        cost: {
          unit_cost_minor: minorToJson(row.unit_cost_minor),
          fee_minor: minorToJson(row.fee_minor),
        },
        price_minor: jsonOrNull(price),
        net_minor: jsonOrNull(earned?.net ?? null),
        margin_minor: jsonOrNull(earned?.margin ?? null),
        margin_bps: earned?.margin_bps ?? null,
        missing_components: ['payment_processing'],
        ...{ version: row.version, created_at: row.created_at, updated_at: row.updated_at },
      },
    ];
  });
}
