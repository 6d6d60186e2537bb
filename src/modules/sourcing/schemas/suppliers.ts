import Type, { type Static } from 'typebox';
import { jsonOrNull, minorToJson } from '../../../kernel/money.ts';
import { Instant, Nullable, StringEnum } from '../../../kernel/schema.ts';
import { type ListedSupplier, SUPPLIER_STATUSES } from '../../supply/index.ts';
import { amount, count, currency, id, SUPPLIER } from './rfqs.ts';

const stated = (description: string) => Nullable(Type.String({ description }));
const statedAmount = (description: string) => Nullable(amount(`${description}; null: not stated`));
export const Supplier = Type.Object(
  {
    supplier_id: id('Id of the supplier, `sup_…`'),
    name: Type.String({ description: 'Its name' }),
    about: stated('What it says about itself'),
    categories: Type.Array(Type.String(), { description: 'What it sells' }),
    ships_from: Type.Object(
      { state: stated('State or territory'), country: Type.String({ description: 'ISO 3166-1, `AU`' }) },
      { title: 'SupplierOrigin', description: 'Where its goods come from.' },
    ),
    currency,
    minimum_order_minor: amount('The smallest order that it takes: the price of its goods'),
    flat_freight_minor: statedAmount('Freight of an order'),
    free_freight_from_minor: statedAmount('From this price of the goods on it sends them without freight'),
    lead_time_days: Nullable(
      Type.Object(
        { min: count('The fewest days'), max: count('The most days') },
        { title: 'SupplierLeadTime', description: 'Days from the order to the delivery.' },
      ),
    ),
    payment_terms: stated('When it wants to be paid, in its own words'),
    status: StringEnum(SUPPLIER_STATUSES, {
      title: 'SupplierStatus',
      description: '`active`: it takes orders and requests for quotation',
    }),
    object_version: Nullable(count('Version of what it has published; null: not stated')),
    items: count('Items that it sells now'),
    own_orders: count('Your purchase orders and dropship orders at it; drafts do not count'),
    updated_at: Instant({ description: 'When it last changed' }),
  },
  { title: 'Supplier', description: 'A supplier as it publishes itself to every seller.' },
);
type WireSupplier = Static<typeof Supplier>;

/** A supplier as the API shows it. */
export const toWireSupplier = ({
  categories,
  ships_from,
  ...row
}: ListedSupplier & { readonly own_orders: number }): WireSupplier => ({
  ...{ supplier_id: row.supplier_id, name: row.name, about: row.about, categories: [...categories] },
  ...{ ships_from: { ...ships_from }, currency: row.currency },
  minimum_order_minor: minorToJson(row.minimum_order_minor),
  flat_freight_minor: jsonOrNull(row.flat_freight_minor),
  free_freight_from_minor: jsonOrNull(row.free_freight_from_minor),
  lead_time_days: row.lead_time_days && { ...row.lead_time_days },
  ...{ payment_terms: row.payment_terms, status: row.status },
  object_version: row.told_version === null ? null : Number(row.told_version),
  ...{ items: row.items, own_orders: row.own_orders, updated_at: row.updated_at },
});

export const SUPPLIER_EXAMPLE: WireSupplier = {
  ...{ ...SUPPLIER, about: 'Stoneware from Bondi.', categories: ['Home > Kitchen'] },
  ...{ ships_from: { state: 'NSW', country: 'AU' }, currency: 'AUD' },
  ...{ minimum_order_minor: 15_000, flat_freight_minor: 1_450, free_freight_from_minor: 90_000 },
  ...{ lead_time_days: { min: 2, max: 5 }, payment_terms: 'net_14', status: 'active', object_version: 3 },
  ...{ items: 42, own_orders: 3, updated_at: '2026-07-01T00:00:00.000Z' },
};
