/** The admin API of one store: queries with their cost, within a bucket that leaks. */
import { execute, type FieldNode, GraphQLError, Kind, parse, type SelectionSetNode, validate } from 'graphql';
import { ADMIN_SCHEMA } from './admin-schema.ts';
import type { Catalogue, Level, Product, Variant } from './catalogue.ts';
import { gid } from './payloads.ts';
import type { Shop } from './shop.ts';

const PAGE_MAX = 250;
const QUERY_COST_MAX = 1_000;
const MUTATION_COST = 10;
const CONNECTION_COST = 2;

interface Question {
  readonly query: string;
  readonly variables?: Readonly<Record<string, unknown>>;
}
interface Answered {
  readonly data?: unknown;
  readonly errors?: readonly object[];
  readonly extensions?: object;
}

/** The number of an argument, written out or in a variable. */
function numberOf(
  { arguments: given = [] }: FieldNode,
  name: string,
  variables: Question['variables'],
): number {
  const value = given.find((one) => one.name.value === name)?.value;
  if (value?.kind === Kind.INT) return Number(value.value);
  return value?.kind === Kind.VARIABLE ? Number(variables?.[value.name.value] ?? 0) : 0;
}

/** The number of ids that a question names in a variable. */
const idsOf = ({ arguments: given = [] }: FieldNode, variables: Question['variables']): number => {
  const value = given.find((one) => one.name.value === 'ids')?.value;
  const ids = value?.kind === Kind.VARIABLE ? variables?.[value.name.value] : undefined;
  return Array.isArray(ids) ? ids.length : 1;
};

/**
 * The cost by the platform's rules: 1 for an object, for each of the named ids; 2 for a list, and the cost of each of
 * its `first` objects.
 */
function costOf({ selections }: SelectionSetNode, variables: Question['variables']): number {
  let cost = 0;
  for (const one of selections) {
    if (one.kind === Kind.FRAGMENT_SPREAD || one.selectionSet === undefined) continue;
    const inner = costOf(one.selectionSet, variables);
    const first = one.kind === Kind.FIELD ? numberOf(one, 'first', variables) : 0;
    const objects = one.kind === Kind.FIELD ? idsOf(one, variables) : 1;
    cost += first > 0 ? CONNECTION_COST + first * inner : objects * (1 + inner);
  }
  return cost;
}

type Data = Readonly<Record<string, unknown>>;

/** The cost of the objects that an answer has. */
function usedBy({ selections }: SelectionSetNode, data: Data): number {
  let cost = 0;
  for (const one of selections) {
    if (one.kind !== Kind.FIELD || one.selectionSet === undefined) continue;
    const { selectionSet } = one;
    const value = data[one.name.value];
    for (const object of Array.isArray(value) ? value : [value])
      cost += object === null || object === undefined ? 1 : 1 + usedBy(selectionSet, object as Data);
  }
  return cost;
}

interface Paging {
  readonly first?: number;
  readonly after?: string | null;
}

/** A page of a list by `first` and `after`; the cursor is the index. */
function pageOf<T>(all: readonly T[], { first = PAGE_MAX, after }: Paging) {
  const from = after === undefined || after === null ? 0 : Number(after) + 1;
  const nodes = all.slice(from, from + Math.min(first, PAGE_MAX));
  const end = from + nodes.length - 1;
  return {
    nodes,
    pageInfo: { hasNextPage: end + 1 < all.length, endCursor: nodes.length ? String(end) : null },
  };
}

const topicOf = (name: string): string => name.toLowerCase().replace(/^(inventory_levels|[a-z]+)_/, '$1/');
const nameOf = (topic: string): string => topic.replace('/', '_').toUpperCase();

const idIn = (gidOf: string): bigint => BigInt(/(\d+)$/.exec(gidOf)?.[1] ?? '0');

const locationNode = ({ locations }: Catalogue, id: bigint) => {
  const { name = '', active = false } = locations.get(id) ?? {};
  return { id: gid('Location', id), name, isActive: active };
};

/** A level that is not tracked has no quantity. */
const levelNode = (catalogue: Catalogue, { inventory_item_id, location_id, ...level }: Level) => ({
  id: `${gid('InventoryLevel', location_id)}?inventory_item_id=${inventory_item_id}`,
  location: locationNode(catalogue, location_id),
  quantities: ({ names }: { names: readonly string[] }) =>
    names.flatMap((name) => (level.available === null ? [] : [{ name, quantity: level.available }])),
  updatedAt: level.updated_at,
});

/** An inventory item as the admin API shows it, with the variant that it is. */
function itemNode(catalogue: Catalogue, product: Product, variant: Variant) {
  const { inventory_item_id: id, tracked } = variant;
  const levels = () => catalogue.levelsOf(id);
  return {
    ...{ __typename: 'InventoryItem', id: gid('InventoryItem', id) },
    tracked,
    inventoryLevel: ({ locationId }: { locationId: string }) => {
      const found = levels().find(({ location_id }) => location_id === idIn(locationId));
      return found === undefined ? null : levelNode(catalogue, found);
    },
    inventoryLevels: (page: Paging) =>
      pageOf(
        levels().map((level) => levelNode(catalogue, level)),
        page,
      ),
    variants: (page: Paging) => pageOf([variantNode(catalogue, product, variant)], page),
  };
}

function findItem(catalogue: Catalogue, id: string) {
  for (const product of catalogue.products.values())
    for (const variant of product.variants)
      if (variant.inventory_item_id === idIn(id)) return itemNode(catalogue, product, variant);
  return null;
}

const variantNode = (catalogue: Catalogue, product: Product, variant: Variant): object => ({
  ...variant,
  id: gid('ProductVariant', variant.id),
  compareAtPrice: variant.compare_at_price,
  selectedOptions: [{ name: product.option, value: variant.title }],
  inventoryItem: () => itemNode(catalogue, product, variant),
  product: () => productNode(catalogue, product),
});

/** A product as the admin API shows it. */
const productNode = (catalogue: Catalogue, product: Product): object => ({
  id: gid('Product', product.id),
  ...{ handle: product.handle, title: product.title, descriptionHtml: product.body_html },
  ...{ vendor: product.vendor, productType: product.product_type, status: product.status.toUpperCase() },
  isGiftCard: product.gift_card === true,
  ...{ tags: product.tags, updatedAt: product.updated_at, options: [{ name: product.option }] },
  media: (page: Paging) =>
    pageOf(
      product.images.map((url) => ({ preview: { image: { url } } })),
      page,
    ),
  variants: (page: Paging) =>
    pageOf(
      product.variants.map((variant) => variantNode(catalogue, product, variant)),
      page,
    ),
});

/** Of the platform's search language, what the service asks. */
function changedSince(products: readonly Product[], query: string | undefined): Product[] {
  const since = /^updated_at:>='(.+)'$/.exec(query ?? '')?.[1];
  return products
    .filter(({ updated_at }) => since === undefined || Date.parse(updated_at) >= Date.parse(since))
    .sort((a, b) => (a.updated_at < b.updated_at ? -1 : Number(a.updated_at > b.updated_at)));
}

const scopesOf = ({ tokens }: Shop): string[] => tokens.scope?.split(',') ?? [];

/** The field is null, and the error says which right is missing; the status is 200. */
function requireScope(shop: Shop, scope: string): void {
  if (scopesOf(shop).includes(scope)) return;
  const message = `Access denied. Required access: \`${scope}\` access scope.`;
  throw new GraphQLError(message, { extensions: { code: 'ACCESS_DENIED' } });
}

/** Fields of the schema that are computed. */
function rootOf(shop: Shop) {
  const { deliveries, catalogue } = shop;
  const shown = ({ id, topic, uri }: { id: bigint; topic: string; uri: string }) => ({
    ...{ id: gid('WebhookSubscription', id), topic: nameOf(topic), uri, format: 'JSON' },
  });
  return {
    shop: () => ({
      id: gid('Shop', shop.id),
      name: shop.name,
      myshopifyDomain: shop.domain,
      currencyCode: shop.currency,
    }),
    products: (page: Paging & { query?: string }) => {
      requireScope(shop, 'read_products');
      const found = changedSince([...catalogue.products.values()], page.query);
      const { nodes, pageInfo } = pageOf(found, page);
      return { nodes: nodes.map((one) => productNode(catalogue, one)), pageInfo };
    },
    product: ({ id }: { id: string }) => {
      requireScope(shop, 'read_products');
      const found = catalogue.products.get(idIn(id));
      return found === undefined ? null : productNode(catalogue, found);
    },
    inventoryItem: ({ id }: { id: string }) => findItem(catalogue, id),
    nodes: ({ ids }: { ids: readonly string[] }) => ids.map((id) => findItem(catalogue, id)),
    locations: (page: { first?: number; after?: string; includeInactive: boolean }) => {
      requireScope(shop, 'read_locations');
      return pageOf(
        [...catalogue.locations.values()]
          .filter(({ active }) => active || page.includeInactive)
          .map(({ id }) => locationNode(catalogue, id)),
        page,
      );
    },
    currentAppInstallation: () => ({
      id: gid('AppInstallation', 1n),
      accessScopes: scopesOf(shop).map((handle) => ({ handle })),
    }),
    webhookSubscriptions: (page: { first?: number; after?: string }) =>
      pageOf([...deliveries.subscriptions.values()].map(shown), page),
    webhookSubscriptionCreate: (given: { topic: string; webhookSubscription: { uri?: string } }) => {
      const topic = topicOf(given.topic);
      const { uri } = given.webhookSubscription;
      const refuse = (message: string) => ({
        ...{ webhookSubscription: null, userErrors: [{ field: ['webhookSubscription'], message }] },
      });
      if (topic.startsWith('orders/') && !scopesOf(shop).includes('read_orders'))
        return refuse('You cannot create a webhook subscription with the specified topic');
      if (uri === undefined || !URL.canParse(uri)) return refuse('Address is not a valid address');
      const known = [...deliveries.subscriptions.values()];
      if (known.some((one) => one.topic === topic && one.uri === uri))
        return refuse('Address for this topic has already been taken');
      const subscription = { id: catalogue.nextId(), topic, uri, failures: 0 };
      deliveries.subscriptions.set(subscription.id, subscription);
      return { webhookSubscription: shown(subscription), userErrors: [] };
    },
    webhookSubscriptionDelete: ({ id }: { id: string }) => {
      const found = deliveries.subscriptions.delete(BigInt(id.split('/').at(-1) ?? '0'));
      return found
        ? { deletedWebhookSubscriptionId: id, userErrors: [] }
        : { deletedWebhookSubscriptionId: null, userErrors: [{ field: ['id'], message: 'does not exist' }] };
    },
    appUninstall: () => {
      const { keepsApp } = shop.faults;
      if (keepsApp !== undefined) return { app: null, userErrors: [{ field: null, message: keepsApp }] };
      shop.uninstall();
      return { app: { id: gid('App', 1n) }, userErrors: [] };
    },
  };
}

const refusal = (message: string, code: string, extensions?: object): Answered => ({
  errors: [{ message, extensions: { code } }],
  ...(extensions && { extensions }),
});

/** Answers one question of the app. */
export async function answerQuery(shop: Shop, { query, variables }: Question): Promise<Answered> {
  const document = parse(query);
  const errors = validate(ADMIN_SCHEMA, document);
  if (errors.length > 0) return { errors: errors.map(({ message }) => ({ message })) };
  const [operation] = document.definitions.filter((one) => one.kind === Kind.OPERATION_DEFINITION);
  if (operation === undefined) return refusal('No operation', 'BAD_REQUEST');
  const isMutation = operation.operation === 'mutation';
  const requestedQueryCost = isMutation ? MUTATION_COST : costOf(operation.selectionSet, variables);
  if (requestedQueryCost > QUERY_COST_MAX)
    return refusal(`Query cost is ${requestedQueryCost}`, 'MAX_COST_EXCEEDED');
  const passes = shop.bucket.take(requestedQueryCost);
  const throttleStatus = shop.bucket.status();
  if (!passes)
    return refusal('Throttled', 'THROTTLED', {
      cost: { requestedQueryCost, actualQueryCost: null, throttleStatus },
    });
  const result = await execute({
    ...{ schema: ADMIN_SCHEMA, document, rootValue: rootOf(shop) },
    ...(variables && { variableValues: variables }),
  });
  const used = isMutation ? MUTATION_COST : usedBy(operation.selectionSet, (result.data ?? {}) as Data);
  const actualQueryCost = Math.min(used, requestedQueryCost);
  shop.bucket.giveBack(requestedQueryCost - actualQueryCost);
  const cost = { requestedQueryCost, actualQueryCost, throttleStatus };
  return { ...(result as Answered), extensions: { cost } };
}
