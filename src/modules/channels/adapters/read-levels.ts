/** Asks a store for the levels of its items. Source: docs/design/channels.md#levels. */
import { isQuantity } from '../domain/apply-level.ts';
import type { SaidLevels } from '../domain/compare-levels.ts';
import { shownText } from '../domain/read-values.ts';
import { type Ask, askFor, isTooMuch } from './ask-admin.ts';
import { numberIn } from './questions.ts';

const LEVEL = 'location { id } quantities(names: ["available"]) { quantity } updatedAt';
const ITEM = `query item($id: ID!, $location: ID!) {
  inventoryItem(id: $id) {
    tracked
    inventoryLevel(locationId: $location) { ${LEVEL} }
    variants(first: 1) { nodes { id title sku product { id } } }
  }
}`;
const LEVELS = `query levels($ids: [ID!]!, $first: Int!) {
  nodes(ids: $ids) {
    ... on InventoryItem { id tracked inventoryLevels(first: $first) { nodes { ${LEVEL} } } }
  }
}`;
/** A store has at most so many locations. */
const LOCATIONS_MAX = 250;

interface LevelNode {
  readonly location: { readonly id: string };
  readonly quantities: readonly { readonly quantity: number }[];
  readonly updatedAt: string;
}
interface ItemNode {
  readonly tracked: boolean;
  readonly inventoryLevel: LevelNode | null;
  readonly variants: {
    readonly nodes: readonly {
      readonly id: string;
      readonly title: string;
      readonly sku: string | null;
      readonly product: { readonly id: string };
    }[];
  };
}
interface ItemAnswer {
  readonly inventoryItem: ItemNode | null;
}
interface LevelsNode {
  readonly id: string;
  readonly tracked: boolean;
  readonly inventoryLevels: { readonly nodes: readonly LevelNode[] };
}
interface LevelsAnswer {
  readonly nodes: readonly (LevelsNode | null)[];
}

export interface ItemLevel {
  /** Null: the store does not count the item. */
  readonly available: number | null;
  readonly updated_at: string;
}
export interface ItemVariant {
  readonly external_product_id: string;
  readonly external_variant_id: string;
  readonly title: string;
  readonly sku?: string;
}
export interface ItemFacts {
  /** Null: the store does not have the item there. */
  readonly level: ItemLevel | null;
  /** The variant that the item is; null: the store knows none. */
  readonly variant: ItemVariant | null;
}
export interface LevelAt extends ItemLevel {
  readonly inventory_item_id: string;
  readonly location_id: string;
}

const gid = (kind: string, id: string): string => `gid://shopify/${kind}/${id}`;

function levelOf(tracked: boolean, { quantities, updatedAt }: LevelNode): ItemLevel {
  const quantity = quantities[0]?.quantity;
  return {
    available: tracked && isQuantity(quantity) ? quantity : null,
    updated_at: new Date(updatedAt).toISOString(),
  };
}

function itemFacts(found: ItemNode | null): ItemFacts {
  if (found === null) return { level: null, variant: null };
  const variant = found.variants.nodes[0];
  return {
    level: found.inventoryLevel ? levelOf(found.tracked, found.inventoryLevel) : null,
    variant:
      variant === undefined
        ? null
        : {
            external_product_id: numberIn(variant.product.id),
            external_variant_id: numberIn(variant.id),
            title: shownText(variant.title),
            ...(variant.sku !== null && { sku: shownText(variant.sku) }),
          },
  };
}

/** Asks for an item at a location, and which variant it is. */
export async function askItem(ask: Ask, item: string, location: string): Promise<ItemFacts> {
  const variables = { id: gid('InventoryItem', item), location: gid('Location', location) };
  return askFor(ask, { query: ITEM, variables }, ({ inventoryItem }: ItemAnswer) => itemFacts(inventoryItem));
}

function levelsIn({ nodes }: LevelsAnswer): SaidLevels<LevelAt> {
  const found = nodes.filter((node) => node !== null);
  return {
    items: new Set(found.map(({ id }) => numberIn(id))),
    levels: found.flatMap((node) =>
      node.inventoryLevels.nodes.map((level) => ({
        inventory_item_id: numberIn(node.id),
        location_id: numberIn(level.location.id),
        ...levelOf(node.tracked, level),
      })),
    ),
  };
}

/**
 * Asks for the levels of items at all locations. A question that costs too much is halved.
 *
 * @param locations how many the store has
 */
export async function readLevels(
  ask: Ask,
  items: readonly string[],
  locations: number,
): Promise<SaidLevels<LevelAt>> {
  const first = Math.min(LOCATIONS_MAX, Math.max(1, locations));
  const variables = { ids: items.map((item) => gid('InventoryItem', item)), first };
  try {
    return await askFor(ask, { query: LEVELS, variables }, levelsIn);
  } catch (error) {
    if (!isTooMuch(error) || items.length <= 1) throw error;
    const half = Math.ceil(items.length / 2);
    const parts = [
      await readLevels(ask, items.slice(0, half), locations),
      await readLevels(ask, items.slice(half), locations),
    ];
    return {
      items: new Set(parts.flatMap((part) => [...part.items])),
      levels: parts.flatMap((part) => part.levels),
    };
  }
}
