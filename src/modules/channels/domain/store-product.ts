/**
 * A product of a store, the same whether a delivery or the admin API brought it. Ids are texts with all their digits.
 * Source: docs/design/channels.md#reading.
 */
import { exactId, type Fields, instantOf } from './read-values.ts';

export interface StoreVariant {
  readonly external_variant_id: string;
  readonly inventory_item_id: string | null;
  readonly title: string;
  readonly sku: string | null;
  readonly barcode: string | null;
  /** A plain decimal in the store's currency. */
  readonly price: string | null;
  readonly compare_at: string | null;
  /** Values of the product's options, in their order. */
  readonly options: readonly string[];
}

export interface StoreProduct {
  readonly external_product_id: string;
  readonly handle: string;
  readonly title: string;
  readonly description: string;
  readonly vendor: string;
  readonly product_type: string;
  readonly status: string;
  /** The marketplace sells none. */
  readonly gift_card: boolean;
  readonly tags: readonly string[];
  readonly option_names: readonly string[];
  readonly images: readonly string[];
  readonly updated_at: string;
  readonly variants: readonly StoreVariant[];
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
const filled = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null);
const listOf = (value: unknown): readonly Fields[] =>
  Array.isArray(value) ? value.filter((one) => typeof one === 'object' && one !== null) : [];
const nodesOf = (value: unknown): readonly Fields[] =>
  listOf((value as Fields | null | undefined)?.['nodes']);
const objectOf = (value: unknown): Fields => (value ?? {}) as Fields;

/** The number in a global id: `gid://shopify/Product/788032119674292922`. */
const numberOf = (gid: unknown): string | undefined =>
  /^gid:\/\/shopify\/\w+\/([1-9]\d{0,29})(?:\?.*)?$/.exec(textOf(gid))?.[1];

function variantOfPayload(body: Fields): StoreVariant[] {
  const external_variant_id = exactId(body['id']);
  if (external_variant_id === undefined) return [];
  return [
    {
      external_variant_id,
      inventory_item_id: exactId(body['inventory_item_id']) ?? null,
      title: textOf(body['title']),
      ...{ sku: filled(body['sku']), barcode: filled(body['barcode']) },
      ...{ price: filled(body['price']), compare_at: filled(body['compare_at_price']) },
      options: ['option1', 'option2', 'option3'].flatMap((name) => filled(body[name]) ?? []),
    },
  ];
}

/** The product of a delivery. It may have a part of the variants. @returns undefined if the body is no product */
export function productOfPayload(body: Fields): StoreProduct | undefined {
  const external_product_id = exactId(body['id']);
  if (external_product_id === undefined || typeof body['title'] !== 'string') return undefined;
  const byPosition = (a: Fields, b: Fields): number =>
    Number(a['position'] ?? 0) - Number(b['position'] ?? 0);
  return {
    external_product_id,
    ...{ handle: textOf(body['handle']), title: body['title'], description: textOf(body['body_html']) },
    ...{ vendor: textOf(body['vendor']), product_type: textOf(body['product_type']) },
    status: textOf(body['status']).toLowerCase(),
    gift_card: listOf(body['variants']).some((one) => one['fulfillment_service'] === 'gift_card'),
    tags: textOf(body['tags'])
      .split(',')
      .map((tag) => tag.trim())
      .filter(Boolean),
    option_names: listOf(body['options']).map(({ name }) => textOf(name)),
    images: listOf(body['images'])
      .toSorted(byPosition)
      .flatMap(({ src }) => filled(src) ?? []),
    updated_at: instantOf(body['updated_at']) ?? '',
    variants: listOf(body['variants']).toSorted(byPosition).flatMap(variantOfPayload),
  };
}

/**
 * The ids of all variants of the product in a body, which has 100 variants at most.
 *
 * @returns undefined if the body does not name them
 */
export function variantIdsOfPayload(body: Fields): string[] | undefined {
  if (!Array.isArray(body['variant_gids'])) return undefined;
  return listOf(body['variant_gids']).flatMap(({ admin_graphql_api_id: gid }) => numberOf(gid) ?? []);
}

export function variantOfNode(node: Fields): StoreVariant[] {
  const external_variant_id = numberOf(node['id']);
  if (external_variant_id === undefined) return [];
  return [
    {
      external_variant_id,
      inventory_item_id: numberOf(objectOf(node['inventoryItem'])['id']) ?? null,
      title: textOf(node['title']),
      ...{ sku: filled(node['sku']), barcode: filled(node['barcode']) },
      ...{ price: filled(node['price']), compare_at: filled(node['compareAtPrice']) },
      options: listOf(node['selectedOptions']).flatMap(({ value }) => filled(value) ?? []),
    },
  ];
}

/** The product of an answer of the admin API. @param variants all of them, from all pages */
export function productOfNode(node: Fields, variants: readonly StoreVariant[]): StoreProduct | undefined {
  const external_product_id = numberOf(node['id']);
  if (external_product_id === undefined) return undefined;
  const { tags } = node;
  return {
    external_product_id,
    ...{ handle: textOf(node['handle']), title: textOf(node['title']) },
    ...{ description: textOf(node['descriptionHtml']), vendor: textOf(node['vendor']) },
    ...{ product_type: textOf(node['productType']), status: textOf(node['status']).toLowerCase() },
    gift_card: node['isGiftCard'] === true,
    tags: Array.isArray(tags) ? tags.map(textOf) : [],
    option_names: listOf(node['options']).map(({ name }) => textOf(name)),
    images: nodesOf(node['media']).flatMap(
      (one) => filled(objectOf(objectOf(one['preview'])['image'])['url']) ?? [],
    ),
    updated_at: instantOf(node['updatedAt']) ?? '',
    variants,
  };
}
