/** The admin API of one store: queries with their cost, within a bucket that leaks. */
import { execute, type FieldNode, Kind, parse, type SelectionSetNode, validate } from 'graphql';
import { ADMIN_SCHEMA } from './admin-schema.ts';
import type { Product } from './catalogue.ts';
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

/** The cost by the platform's rules: 1 for an object; 2 for a list, and the cost of each of its `first` objects. */
function costOf({ selections }: SelectionSetNode, variables: Question['variables']): number {
  let cost = 0;
  for (const one of selections) {
    if (one.kind === Kind.FRAGMENT_SPREAD || one.selectionSet === undefined) continue;
    const inner = costOf(one.selectionSet, variables);
    const first = one.kind === Kind.FIELD ? numberOf(one, 'first', variables) : 0;
    cost += first > 0 ? CONNECTION_COST + first * inner : 1 + inner;
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

/** A product as the admin API shows it. */
const productNode = (product: Product) => ({
  id: gid('Product', product.id),
  ...{ handle: product.handle, title: product.title, descriptionHtml: product.body_html },
  ...{ vendor: product.vendor, productType: product.product_type, status: product.status.toUpperCase() },
  ...{ tags: product.tags, updatedAt: product.updated_at, options: [{ name: product.option }] },
  media: (page: Paging) =>
    pageOf(
      product.images.map((url) => ({ preview: { image: { url } } })),
      page,
    ),
  variants: (page: Paging) =>
    pageOf(
      product.variants.map(({ id, inventory_item_id, compare_at_price: compareAtPrice, ...variant }) => ({
        ...variant,
        id: gid('ProductVariant', id),
        compareAtPrice,
        selectedOptions: [{ name: product.option, value: variant.title }],
        inventoryItem: { id: gid('InventoryItem', inventory_item_id), tracked: variant.tracked },
      })),
      page,
    ),
});

/** Of the platform's search language, what the service asks. */
function changedSince(products: readonly Product[], query: string | undefined): Product[] {
  const since = /^updated_at:>='(.+)'$/.exec(query ?? '')?.[1];
  return products
    .filter(({ updated_at }) => since === undefined || Date.parse(updated_at) >= Date.parse(since))
    .sort((a, b) => Date.parse(a.updated_at) - Date.parse(b.updated_at));
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
      currencyCode: 'AUD',
    }),
    products: (page: Paging & { query?: string }) =>
      pageOf(changedSince([...catalogue.products.values()], page.query).map(productNode), page),
    product: ({ id }: { id: string }) => {
      const found = catalogue.products.get(BigInt(id.split('/').at(-1) ?? '0'));
      return found === undefined ? null : productNode(found);
    },
    locations: (page: { first?: number; after?: string; includeInactive: boolean }) =>
      pageOf(
        [...catalogue.locations.values()]
          .filter(({ active }) => active || page.includeInactive)
          .map(({ id, name, active }) => ({ id: gid('Location', id), name, isActive: active })),
        page,
      ),
    webhookSubscriptions: (page: { first?: number; after?: string }) =>
      pageOf([...deliveries.subscriptions.values()].map(shown), page),
    webhookSubscriptionCreate: (given: { topic: string; webhookSubscription: { uri?: string } }) => {
      const topic = topicOf(given.topic);
      const { uri } = given.webhookSubscription;
      const refuse = (message: string) => ({
        ...{ webhookSubscription: null, userErrors: [{ field: ['webhookSubscription'], message }] },
      });
      if (topic.startsWith('orders/') && !shop.tokens.scope?.split(',').includes('read_orders'))
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
  const cost = { requestedQueryCost, actualQueryCost: requestedQueryCost, throttleStatus };
  return { ...(result as Answered), extensions: { cost } };
}
