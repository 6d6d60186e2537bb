/**
 * Lists the differences between two states of a product, field by field. Sellers see them in row results; commits of
 * previews apply them, reverts undo them. Values are JSON; amounts are numbers in minor units.
 */
import { minor, minorToJson } from '../../../../kernel/money.ts';
import { identicalIdentity } from '../identity/stored-identity.ts';
import {
  blankContent,
  type CatalogueProduct,
  type ProductContent,
  REVIEWED_FIELDS,
  type ReviewedField,
  type ReviewedVersion,
} from '../product.ts';
import { sameImages, sameIssues, sameReasons, sameVariation } from './equality.ts';

export interface Change {
  /** A key of the product, or `attributes.<name>`. */
  readonly field: string;
  readonly before: unknown;
  readonly after: unknown;
}

type Field = Exclude<keyof ProductContent, 'attributes'>;
type Compared = { readonly [K in Field]: (left: ProductContent[K], right: ProductContent[K]) => boolean };

const same = (left: unknown, right: unknown) => left === right;

/** Compares each field; the keys give the order of the fields in `changes[]`. */
const COMPARE: Compared = {
  seller_sku: same,
  title: same,
  description: same,
  brand: same,
  identity: identicalIdentity,
  category: same,
  condition: same,
  price_minor: same,
  compare_at_minor: same,
  currency: same,
  quantity_on_hand: same,
  reorder_point: same,
  shipping_profile_id: same,
  status: same,
  images: sameImages,
  variation: sameVariation,
  external_key: same,
  external_profile: same,
  curation_state: same,
  curation_reasons: sameReasons,
  approved: (left, right) =>
    left === right ||
    (left !== null && right !== null && REVIEWED_FIELDS.every((field) => sameStored(field, left, right))),
  issues: sameIssues,
};
const FIELDS = Object.keys(COMPARE) as readonly Field[];
const FIELD_NAMES: ReadonlySet<string> = new Set(FIELDS);
const ATTRIBUTE = 'attributes.';

/** For a new product the list has `product_id` first, then every field that is set, with `before: null`. */
export function diffProduct(before: CatalogueProduct | null, after: CatalogueProduct): Change[] {
  const changes: Change[] = [];
  if (before === null) {
    changes.push({ field: 'product_id', before: null, after: after.product_id });
    for (const field of FIELDS) {
      if (isSet(after[field])) changes.push({ field, before: null, after: toJson(after[field]) });
    }
    diffAttributes({}, after.attributes, changes);
    return changes;
  }
  for (const field of FIELDS) {
    if (before[field] === after[field] || isSame(field, before, after)) continue;
    changes.push({ field, before: toJson(before[field]), after: toJson(after[field]) });
  }
  if (before.attributes !== after.attributes) diffAttributes(before.attributes, after.attributes, changes);
  return changes;
}

/**
 * Applies changes to a product, or reverts them.
 *
 * @param product the state before (`apply`) or after (`revert`); `null` when it does not exist
 * @returns the other state, with the `version`, source and reservations of `product`; `null` for the revert of a
 *   creation
 */
export function applyChanges(
  product: CatalogueProduct | null,
  changes: readonly Change[],
  direction: 'apply' | 'revert',
): CatalogueProduct | null {
  const values: Record<string, unknown> = {};
  const attributes = { ...product?.attributes };
  let product_id = product?.product_id ?? '';
  for (const { field, before, after } of changes) {
    const value = direction === 'apply' ? after : before;
    if (field === 'product_id') {
      if (typeof value !== 'string') return null;
      product_id = value;
    } else if (field.startsWith(ATTRIBUTE)) {
      const name = field.slice(ATTRIBUTE.length);
      if (typeof value === 'string') attributes[name] = value;
      else delete attributes[name];
    } else if (FIELD_NAMES.has(field)) {
      values[field] = fromJson(field, value);
    }
  }
  return { ...(product ?? newProduct()), ...values, product_id, attributes };
}

/** An empty product that is not in the catalogue yet. */
export function newProduct(currency = ''): CatalogueProduct {
  return {
    ...blankContent(currency),
    product_id: '',
    quantity_reserved: 0,
    stock_source: 'own',
    source_origin: 'api',
    source_run_id: null,
    source_row: null,
    version: 0,
    live_version: null,
    approved_at: null,
    reviewed_from: 1,
  };
}

function diffAttributes(
  before: ProductContent['attributes'],
  after: ProductContent['attributes'],
  changes: Change[],
): void {
  for (const name of Object.keys(after)) {
    const old = Object.hasOwn(before, name) ? (before[name] ?? null) : null;
    if (old !== after[name]) changes.push({ field: ATTRIBUTE + name, before: old, after: after[name] });
  }
  for (const name of Object.keys(before)) {
    if (Object.hasOwn(after, name)) continue;
    changes.push({ field: ATTRIBUTE + name, before: before[name], after: null });
  }
}

/** The cast is safe: each comparison gets its own field, which the compiler cannot prove. */
function isSame(field: Field, before: ProductContent, after: ProductContent): boolean {
  const compare = COMPARE[field] as (left: unknown, right: unknown) => boolean;
  return compare(before[field], after[field]);
}

function sameStored(field: ReviewedField, left: ReviewedVersion, right: ReviewedVersion): boolean {
  const [one, other] = [left[field], right[field]];
  if (one === undefined || other === undefined) return one === other;
  const compare = COMPARE[field] as (left: unknown, right: unknown) => boolean;
  return compare(one, other);
}

function isSet(value: unknown): boolean {
  return value !== null && !(Array.isArray(value) && value.length === 0);
}

function toJson(value: ProductContent[Field]): unknown {
  return typeof value === 'bigint' ? minorToJson(value) : value;
}

const LISTS: ReadonlySet<string> = new Set(['images', 'issues', 'curation_reasons']);

function fromJson(field: string, value: unknown): unknown {
  if (field.endsWith('_minor') && typeof value === 'number') return minor(value);
  return value === null && LISTS.has(field) ? [] : value;
}
