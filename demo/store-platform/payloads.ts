/** Bodies of deliveries, in the shape of the store platform. */
import type { Level, Location, Order, Product } from './catalogue.ts';

/** The most variants in a body; `variant_gids` names all of them. */
const VARIANTS_MAX = 100;

export const gid = (kind: string, id: bigint): string => `gid://shopify/${kind}/${id}`;

export const productPayload = (product: Product) => ({
  id: product.id,
  title: product.title,
  body_html: product.body_html,
  vendor: product.vendor,
  product_type: product.product_type,
  handle: product.handle,
  status: product.status,
  tags: product.tags.join(', '),
  created_at: product.created_at,
  updated_at: product.updated_at,
  published_at: product.status === 'active' ? product.created_at : null,
  options: [{ name: product.option, position: 1, values: product.variants.map(({ title }) => title) }],
  images: product.images.map((src, index) => ({ src, position: index + 1 })),
  variants: product.variants.slice(0, VARIANTS_MAX).map((variant, index) => ({
    id: variant.id,
    product_id: product.id,
    title: variant.title,
    option1: variant.title,
    sku: variant.sku,
    barcode: variant.barcode,
    price: variant.price,
    compare_at_price: variant.compare_at_price,
    position: index + 1,
    inventory_item_id: variant.inventory_item_id,
    inventory_policy: 'deny',
    fulfillment_service: product.gift_card === true ? 'gift_card' : 'manual',
    updated_at: product.updated_at,
    admin_graphql_api_id: gid('ProductVariant', variant.id),
  })),
  variant_gids: product.variants.map(({ id }) => ({
    admin_graphql_api_id: gid('ProductVariant', id),
    updated_at: product.updated_at,
  })),
  admin_graphql_api_id: gid('Product', product.id),
});

export const levelPayload = (level: Level) => ({
  inventory_item_id: level.inventory_item_id,
  location_id: level.location_id,
  available: level.available,
  updated_at: level.updated_at,
  admin_graphql_api_id: `${gid('InventoryLevel', level.location_id)}?inventory_item_id=${level.inventory_item_id}`,
});

export const locationPayload = ({ id, name, active }: Location) => ({
  id,
  name,
  active,
  address1: '12 Harbour Street',
  city: 'Sydney',
  country: 'AU',
  admin_graphql_api_id: gid('Location', id),
});

/** The buyer of every order of the local store. The service must store no word of it. */
export const BUYER = {
  first_name: 'Priscilla',
  last_name: 'Quokkaberry',
  email: 'priscilla.quokkaberry@example.com',
  phone: '+61491570006',
  address1: '77 Wombatwood Lane',
  city: 'Yackandandah',
  note: 'Ring the brass bell twice',
  ip: '203.0.113.77',
  user_agent: 'Mozilla/5.0 (Bilbybrowser)',
} as const;

/** The whole body of an order, with the buyer in all the places where the platform has one. */
export function orderPayload(order: Order) {
  const { first_name, last_name, email, phone, address1, city, note, ip, user_agent } = BUYER;
  const address = { first_name, last_name, address1, city, phone, name: `${first_name} ${last_name}` };
  return {
    id: order.id,
    name: order.name,
    currency: 'AUD',
    total_price: order.total,
    financial_status: order.financial_status,
    fulfillment_status: order.fulfillment_status,
    cancelled_at: order.cancelled_at,
    closed_at: null,
    created_at: order.created_at,
    updated_at: order.updated_at,
    test: false,
    line_items: order.lines.map(({ variant_id, sku, quantity }, index) => ({
      ...{ id: order.id + BigInt(index + 1), variant_id, sku, quantity, title: 'A mug', price: '24.90' },
      properties: [{ name: 'Engraving', value: `For ${first_name}` }],
    })),
    ...{ email, contact_email: email, phone, note, tags: `vip ${last_name}`, browser_ip: ip },
    note_attributes: [{ name: 'Doorbell', value: note }],
    client_details: { browser_ip: ip, user_agent },
    customer: { id: 1n, first_name, last_name, email, phone, default_address: address },
    billing_address: address,
    shipping_address: address,
    admin_graphql_api_id: gid('Order', order.id),
  };
}
