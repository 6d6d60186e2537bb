/**
 * Reads the body of a delivery before any part of it is stored. The platform signs only the body, so the headers may
 * name a wrong topic or store. The body must have the shape of its topic. Source: docs/design/channels.md#deliveries.
 */

import { parseJsonExact } from '../../../kernel/readers/text/parse-json-exact.ts';
import { findUnstorableText } from '../../../kernel/storable-text.ts';
import { isQuantity } from './apply-level.ts';
import type { DeliveryReason, DeliveryStatus } from './delivery-words.ts';
import type { SaidLevel } from './judge-level.ts';
import type { ProductBody } from './product-body.ts';
import { projectOrder } from './project-order.ts';
import { exactId, type Fields, instantOf, notAhead } from './read-values.ts';
import { productOfPayload, variantIdsOfPayload } from './store-product.ts';
import { ORDER_TOPICS } from './topics.ts';

export const CUSTOMERS_REDACT = 'customers/redact';
/** Topics of privacy law, which the operator declares in the configuration of the app. */
const PRIVACY_TOPICS = ['customers/data_request', CUSTOMERS_REDACT, 'shop/redact'] as const;

export const isPrivacyTopic = (topic: string): boolean => PRIVACY_TOPICS.some((one) => one === topic);

/** What is stored of a delivery. */
interface Reading {
  /** `received`: a worker decides; otherwise this is the decision. */
  readonly status: DeliveryStatus;
  readonly reason: DeliveryReason | null;
  /** Deliveries about the same object are processed one after another. */
  readonly object_key: string;
  /** The part of the body that the worker needs; never the whole. */
  readonly body: object | null;
}

const SHOP_KEY = 'shop';
/** Topics of privacy law ask the store nothing, so nothing delays them. */
export const PRIVACY_KEY = 'privacy';
/** Apart from the store's, so that a question about locations that fails delays no end of a connection. */
const LOCATIONS_KEY = 'locations';
const received = (object_key: string, body: object | null = null): Reading => ({
  ...{ status: 'received', reason: null, object_key, body },
});
const decided = (status: DeliveryStatus, reason: DeliveryReason): Reading => ({
  ...{ status, reason, object_key: SHOP_KEY, body: null },
});
const ANOTHER_TOPIC = decided('foreign', 'shape_of_another_topic');

type Read = (body: Fields, shop: string, now: number) => Reading;

const ofShop =
  (field: string, key: string, part: (body: Fields) => object | null = () => null): Read =>
  (body, shop) => {
    const named = body[field];
    if (typeof named !== 'string') return ANOTHER_TOPIC;
    return named === shop ? received(key, part(body)) : decided('foreign', 'another_shop');
  };

/** Order bodies are full of personal data; only the projection leaves this function. */
const order: Read = (body, _shop, now) => {
  if (!Array.isArray(body['line_items'])) return ANOTHER_TOPIC;
  const projection = projectOrder(body, now);
  if (projection === undefined) return decided('malformed', 'id_invalid');
  return received(`order:${projection.external_order_id}`, projection);
};

/** The service asks the store for its locations, so it needs no part of the body. */
const location: Read = (body) => {
  if ('line_items' in body || 'title' in body || 'inventory_item_id' in body) return ANOTHER_TOPIC;
  return exactId(body['id']) === undefined ? decided('malformed', 'id_invalid') : received(LOCATIONS_KEY);
};

/** A level of stock. The body of one that ended has the ids only. */
const level =
  (ended: boolean): Read =>
  (body, _shop, now) => {
    if (!('inventory_item_id' in body && 'location_id' in body)) return ANOTHER_TOPIC;
    const [inventory_item_id, location_id] = [
      exactId(body['inventory_item_id']),
      exactId(body['location_id']),
    ];
    if (inventory_item_id === undefined || location_id === undefined)
      return decided('malformed', 'id_invalid');
    const key = `level:${inventory_item_id}:${location_id}`;
    const place = { inventory_item_id, location_id };
    if (ended) return received(key, { ...place, available: null, updated_at: null } satisfies SaidLevel);
    const { available } = body;
    const updated_at = instantOf(body['updated_at']);
    if (updated_at === null || (available !== null && !isQuantity(available)))
      return decided('malformed', 'level_invalid');
    const said = { ...place, available, updated_at: notAhead(updated_at, now) };
    return received(key, said satisfies SaidLevel);
  };
/** The part of a product that the merge needs. A product of two instants has two bodies, so it needs its instant. */
const product: Read = (body, _shop, now) => {
  const id = exactId(body['id']);
  if (typeof body['title'] !== 'string' || 'line_items' in body) return ANOTHER_TOPIC;
  const read = productOfPayload(body);
  if (id === undefined || read === undefined) return decided('malformed', 'id_invalid');
  if (read.updated_at === '') return decided('malformed', 'instant_invalid');
  const variant_ids = variantIdsOfPayload(body);
  const updated_at = notAhead(read.updated_at, now);
  const kept: ProductBody = {
    product: { ...read, updated_at },
    ...(variant_ids !== undefined && { variant_ids }),
  };
  return received(`product:${id}`, kept);
};

const DELETED = new Set(['id', 'admin_graphql_api_id']);
const productDeleted: Read = (body) => {
  if (!('id' in body) || Object.keys(body).some((name) => !DELETED.has(name))) return ANOTHER_TOPIC;
  const id = exactId(body['id']);
  return id === undefined ? decided('malformed', 'id_invalid') : received(`product:${id}`);
};

const ordersToRedact = ({ orders_to_redact: ids }: Fields): object => ({
  order_ids: Array.isArray(ids) ? ids.map(exactId).filter((id) => id !== undefined) : [],
});

const OF_CUSTOMERS = ['customer', 'data_request', 'orders_requested', 'orders_to_redact'];
const shopErased: Read = (body, ...more) =>
  OF_CUSTOMERS.some((name) => name in body)
    ? ANOTHER_TOPIC
    : ofShop('shop_domain', PRIVACY_KEY)(body, ...more);

const READERS: Readonly<Record<string, Read>> = {
  'products/create': product,
  'products/update': product,
  'products/delete': productDeleted,
  'locations/create': location,
  'locations/update': location,
  'locations/delete': location,
  'inventory_levels/update': level(false),
  'inventory_levels/disconnect': level(true),
  'app/uninstalled': ofShop('myshopify_domain', SHOP_KEY),
  'customers/data_request': ofShop('shop_domain', PRIVACY_KEY),
  [CUSTOMERS_REDACT]: ofShop('shop_domain', PRIVACY_KEY, ordersToRedact),
  'shop/redact': shopErased,
  ...Object.fromEntries(ORDER_TOPICS.map((topic) => [topic, order])),
};

function parse(bytes: Buffer): Fields | undefined {
  try {
    const value = parseJsonExact(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Fields)
      : undefined;
  } catch {
    return undefined;
  }
}

/** @param shop the store that the headers name. @param now of the service's clock, milliseconds */
export function readDelivery(topic: string, shop: string, bytes: Buffer, now: number): Reading {
  const read = Object.hasOwn(READERS, topic) ? READERS[topic] : undefined;
  if (read === undefined) return decided('unsupported', 'topic_unsupported');
  const body = parse(bytes);
  if (body === undefined) return decided('malformed', 'not_json');
  const reading = read(body, shop, now);
  return findUnstorableText(reading.body ?? {}) === undefined ? reading : decided('malformed', 'not_json');
}

const REPEATABLE = ['app/uninstalled', 'shop/redact', 'inventory_levels/disconnect'];
/**
 * These are checked by their effect: the token is no longer valid, the channel has ended, the store no longer has the
 * item there. Their bodies are the same each time.
 */
export const mayRepeat = (topic: string): boolean => REPEATABLE.includes(topic);
