/** What suppliers publish: themselves, their items and their counts. Suppliers never call the API of sellers. */
import Type, { type Static } from 'typebox';
import { isOlder, orderOf } from '../../../kernel/event-order.ts';
import {
  defineMarketplaceEvent,
  type IntakeCtx,
  type IntakeOutcome,
  IntakeRejection,
  type MarketplaceEvent,
  requireCurrency,
} from '../../../kernel/events.ts';
import { foldText } from '../../../kernel/fold-text.ts';
import { parseGtin } from '../../../kernel/gtin.ts';
import type { IdKind } from '../../../kernel/ids.ts';
import { minor, minorOrNull } from '../../../kernel/money.ts';
import { allows, CURRENCY, Instant, Nullable, StringEnum } from '../../../kernel/schema.ts';
import { insertJob } from '../../../platform/jobs/job-statements.ts';
import {
  addItems,
  ITEM_STATUSES,
  type ItemRow,
  knownItems,
  lockSupplier,
  SUPPLIER_STATUSES,
  writeCounts,
  writeItems,
  writeSupplier,
} from '../store.ts';
import { QUANTITY_MAX, requirePast, requireTerms, supplierFields } from './supplier-fields.ts';

const ITEMS_MAX = 500;
const COUNTS_MAX = 1_000;

const { amount, days, named, optional, terms } = supplierFields;

const Profile = Type.Object({
  name: named(200),
  about: optional(Type.String({ maxLength: 5_000 })),
  currency: Type.String({ ...CURRENCY }),
  categories: Type.Optional(Type.Array(named(400), { maxItems: 50 })),
  ships_from: Type.Object({ state: optional(Type.String({ maxLength: 100 })), country: named(2) }),
  minimum_order_minor: Type.Optional(amount),
  flat_freight_minor: optional(amount),
  free_freight_from_minor: optional(amount),
  lead_time_days: optional(Type.Object({ min: days, max: days })),
  payment_terms: optional(Type.String({ maxLength: 40 })),
  status: StringEnum(SUPPLIER_STATUSES),
});

const Item = Type.Object({
  supplier_item_id: named(100),
  supplier_sku: named(100),
  title: named(300),
  description: optional(Type.String({ maxLength: 5_000 })),
  brand: optional(Type.String({ maxLength: 200 })),
  mpn: optional(Type.String({ maxLength: 100 })),
  gtin14: optional(Type.String({ maxLength: 20 })),
  category: optional(Type.String({ maxLength: 400 })),
  image_urls: Type.Optional(
    Type.Array(
      Type.String({ ...allows('^https://', 'Use an address that begins with https://.'), maxLength: 2_000 }),
      { maxItems: 20 },
    ),
  ),
  ...terms,
  rrp_minor: optional(amount),
  dropship: optional(Type.Object({ unit_cost_minor: amount, fee_minor: amount })),
  status: StringEnum(ITEM_STATUSES),
});
const Items = Type.Object({ items: Type.Array(Item, { minItems: 1, maxItems: ITEMS_MAX }) });

const Counts = Type.Object({
  as_of: Instant(),
  items: Type.Array(
    Type.Object({
      supplier_sku: named(100),
      available: Nullable(Type.Integer({ minimum: 0, maximum: QUANTITY_MAX })),
    }),
    { minItems: 1, maxItems: COUNTS_MAX },
  ),
});

/** Runs after a supplier has published something, for the listings of sellers. Dropship handles it. */
export const SUPPLIER_JOB = 'supply.supplier_published';

/** Plans that job in the transaction of the event. Its key serialises it with the events of the supplier. */
async function applied({ db, ids, now }: IntakeCtx, supplier_id: string): Promise<IntakeOutcome> {
  const job = { kind: SUPPLIER_JOB, payload: { supplier_id }, uniqueKey: supplier_id, dueAt: now() };
  await db.run(insertJob(ids.next('job_'), job, now()));
  return { status: 'applied' };
}

const invalid = (detail: string) => new IntakeRejection('data_invalid', detail);
const STALE: IntakeOutcome = { status: 'stale' };
const at = ({ now }: IntakeCtx) => new Date(now()).toISOString();

/** Locks the supplier that an event is about. @throws IntakeRejection `data_invalid` */
async function lockNamed(intake: IntakeCtx, { subject, time }: MarketplaceEvent<unknown>, as_of = time) {
  if (subject === null) throw invalid('subject must name the supplier');
  requirePast(intake, { time, 'data/as_of': as_of });
  return { name: subject, found: await lockSupplier(intake.db, subject) };
}
const missing = () => new IntakeRejection('supplier_not_found', 'The supplier has not published itself yet.');

/** The id of something whose name the marketplace chose: the name if it has the form of our ids, else a new id. */
const idOf = ({ ids }: IntakeCtx, kind: IdKind, name: string) =>
  name.startsWith(kind) ? { id: name, external_id: null } : { id: ids.next(kind), external_id: name };

async function applyProfile(intake: IntakeCtx, event: MarketplaceEvent<Static<typeof Profile>>) {
  const { data } = event;
  const { name, found } = await lockNamed(intake, event);
  requireCurrency('data/currency', data.currency);
  const { min, max } = data.lead_time_days ?? { min: 0, max: 0 };
  if (min > max) throw invalid('data/lead_time_days: min is above max');
  const order = orderOf(event);
  if (found !== undefined && isOlder(order, { at: found.told_at, version: found.told_version })) return STALE;
  // Prices of items, listings and orders would turn into amounts of the other currency.
  if (found !== undefined && found.currency !== data.currency)
    throw new IntakeRejection('currency_mismatch', `The supplier sells in ${found.currency}; it stays so.`);
  const { id, external_id } = idOf(intake, 'sup_', name);
  await writeSupplier(intake.db, {
    ...{ supplier_id: found?.supplier_id ?? id, external_id },
    ...{ name: data.name, about: data.about ?? null, categories: data.categories ?? [] },
    ships_from: { state: data.ships_from.state ?? null, country: data.ships_from.country },
    ...{ currency: data.currency, minimum_order_minor: minor(data.minimum_order_minor ?? 0) },
    flat_freight_minor: minorOrNull(data.flat_freight_minor),
    free_freight_from_minor: minorOrNull(data.free_freight_from_minor),
    ...{ lead_time_days: data.lead_time_days ?? null, payment_terms: data.payment_terms ?? null },
    search_text: foldText([data.name, data.about ?? '', ...(data.categories ?? [])].join(' ')),
    ...{ status: data.status, told_at: order.at, told_version: order.version, updated_at: at(intake) },
  });
  return applied(intake, found?.supplier_id ?? id);
}

/** The GTIN in 14 digits. @throws IntakeRejection `data_invalid` */
function gtinOf(code: string | null | undefined, place: string): string | null {
  if (code == null || code === '') return null;
  const read = parseGtin(code, { wholesale: true });
  if (!read.ok) throw invalid(`${place}/gtin14: ${read.code}`);
  return read.gtin14;
}

type Sold = Pick<ItemRow, 'status' | 'dropship'>;
const isSold = ({ status }: Sold) => status === 'active';
/** How many of the items are active, and how many of these can be dropshipped. */
const soldOf = (items: readonly Sold[]) => ({
  items: items.filter(isSold).length,
  dropship_items: items.filter((one) => isSold(one) && one.dropship !== null).length,
});

async function applyItems(intake: IntakeCtx, event: MarketplaceEvent<Static<typeof Items>>) {
  const { items } = event.data;
  const { found: supplier } = await lockNamed(intake, event);
  if (supplier === undefined) throw missing();
  const { supplier_id } = supplier;
  const names = items.map((item) => item.supplier_item_id);
  const skus = items.map((item) => item.supplier_sku);
  const known = await knownItems(intake.db, supplier_id, names, skus);
  const order = orderOf(event);
  const now = at(intake);
  const rows = items.flatMap((item, index): ItemRow[] => {
    const place = `data/items/${index}`;
    const { supplier_item_id: name, supplier_sku: sku } = item;
    if (names.indexOf(name) !== index || skus.indexOf(sku) !== index)
      throw invalid(`${place}: the event names this item or its SKU twice`);
    const before = known.find((one) => one.supplier_item_id === name || one.external_id === name);
    if (before !== undefined && before.supplier_id !== supplier_id)
      throw new IntakeRejection('item_not_found', `${place}: the supplier has no item ${name}`);
    requireTerms(item, place);
    const gtin14 = gtinOf(item.gtin14, place);
    if (before !== undefined && isOlder(order, { at: before.told_at, version: before.told_version }))
      return [];
    const { id, external_id } = idOf(intake, 'sit_', name);
    const { pack_size, minimum_quantity, maximum_quantity = null, price_breaks, status } = item;
    return [
      {
        ...{ supplier_item_id: before?.supplier_item_id ?? id, supplier_id, external_id, supplier_sku: sku },
        ...{ title: item.title, description: item.description ?? null, brand: item.brand ?? null },
        ...{ mpn: item.mpn ?? null, gtin14, category: item.category ?? null },
        ...{ image_urls: item.image_urls ?? [], pack_size, minimum_quantity, maximum_quantity, price_breaks },
        rrp_minor: minorOrNull(item.rrp_minor),
        ...{ dropship: item.dropship ?? null, status, published_at: now },
        ...{ told_at: order.at, told_version: order.version, updated_at: now },
      },
    ];
  });
  const written = new Map(rows.map((row) => [row.supplier_item_id, row]));
  const taken = known.find(
    (one) => !written.has(one.supplier_item_id) && rows.some((row) => row.supplier_sku === one.supplier_sku),
  );
  if (taken !== undefined)
    throw invalid(`data/items/${skus.indexOf(taken.supplier_sku)}: another item has this SKU`);
  if (rows.length === 0) return STALE;
  const [before, after] = [soldOf(known.filter((one) => written.has(one.supplier_item_id))), soldOf(rows)];
  await writeItems(intake.db, rows);
  await addItems(intake.db, supplier_id, {
    items: after.items - before.items,
    dropship_items: after.dropship_items - before.dropship_items,
  });
  return applied(intake, supplier_id);
}

async function applyCounts(intake: IntakeCtx, event: MarketplaceEvent<Static<typeof Counts>>) {
  const { as_of, items } = event.data;
  const { found: supplier } = await lockNamed(intake, event, as_of);
  if (supplier === undefined) throw missing();
  const counts = new Map(items.map(({ supplier_sku, available }) => [supplier_sku, available]));
  if (counts.size < items.length) throw invalid('data/items names a SKU twice');
  const known = await knownItems(intake.db, supplier.supplier_id, [], [...counts.keys()]);
  const found = new Set(known.map(({ supplier_sku }) => supplier_sku));
  const unknown = items.findIndex(({ supplier_sku }) => !found.has(supplier_sku));
  if (unknown >= 0)
    throw new IntakeRejection('item_not_found', `data/items/${unknown}: the supplier has no such SKU`);
  const said = { as_of: new Date(as_of).toISOString(), at: at(intake), counts };
  const { supplier_id } = supplier;
  return (await writeCounts(intake.db, supplier_id, said)) === 0 ? STALE : applied(intake, supplier_id);
}

const EXAMPLE_ITEM = {
  ...{ supplier_item_id: 'sit_01j0000000000000000000000', supplier_sku: 'BC-MUG-BLU' },
  ...{ title: 'Stoneware mug, blue', brand: 'Bondi Clay', mpn: 'BC-1', gtin14: null },
  ...{ category: 'Home > Kitchen > Mugs', image_urls: [] },
  ...{ pack_size: 12, minimum_quantity: 24, maximum_quantity: null },
  price_breaks: [
    { min_quantity: 24, pack_price_minor: 6_180 },
    { min_quantity: 144, pack_price_minor: 5_945 },
  ],
  ...{ rrp_minor: 2_499, dropship: { unit_cost_minor: 1_840, fee_minor: 250 }, status: 'active' as const },
};
const SUBJECT = 'sup_01j0000000000000000000000';
const shared = { subject: 'supplier id', example_subject: SUBJECT } as const;

export const suppliersPublished = [
  defineMarketplaceEvent({
    ...shared,
    type: 'marketplace.supplier.profile_published',
    summary: 'A supplier says who it is and how it sells; every seller may read it',
    schema: Profile,
    example: {
      ...{ name: 'Bondi Clay Works', about: 'Stoneware from Bondi.', currency: 'AUD' },
      ...{ categories: ['Home > Kitchen'], ships_from: { state: 'NSW', country: 'AU' } },
      ...{ minimum_order_minor: 15_000, flat_freight_minor: 1_450, free_freight_from_minor: 90_000 },
      ...{ lead_time_days: { min: 2, max: 5 }, payment_terms: 'net_14', status: 'active' },
    },
    apply: applyProfile,
  }),
  defineMarketplaceEvent({
    ...shared,
    type: 'marketplace.supplier.items_published',
    summary: 'Items of a supplier with their prices for packs; one bad item rejects the event',
    schema: Items,
    example: { items: [EXAMPLE_ITEM] },
    apply: applyItems,
  }),
  defineMarketplaceEvent({
    ...shared,
    type: 'marketplace.supplier.availability_changed',
    summary: 'How many units a supplier has; the newest count of each item holds',
    schema: Counts,
    example: {
      as_of: '2026-06-28T01:00:00Z',
      items: [{ supplier_sku: 'BC-MUG-BLU', available: 20 }],
    },
    apply: applyCounts,
  }),
];
