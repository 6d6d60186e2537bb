/**
 * A file of another platform may say less than an earlier one: it lacks columns, or rows of the product. It takes
 * nothing away that it cannot say. Source: docs/design/feeds-and-imports.md#import-profiles.
 */
import { foldMpn } from '../identity/fold.ts';
import type { CatalogueProduct, ProductImage, StoredIdentity } from '../product.ts';
import type { IdentityClaim, ImageClaim, ProductPatch, Variation } from '../row.ts';

/**
 * The row of an import, completed with what the product has and the file cannot say.
 *
 * @param profile the import profile of the file
 */
export function keepUnsaid(patch: ProductPatch, existing: CatalogueProduct, profile: string): ProductPatch {
  const { brand, category, images, identity, status, variation, partial, ...rest } = withoutUnqualified(
    patch,
    existing,
  );
  const lesser = (field: 'brand' | 'category'): boolean => {
    const [known, attribute] = [existing[field], partial?.[field]];
    return attribute !== undefined && known !== null && existing.attributes[attribute]?.trim() !== known;
  };
  // No other platform tells products that are off sale from archived ones.
  const isArchived = status === 'inactive' && existing.status === 'archived';
  const keepsStatus = isArchived || (partial?.status && isOff(existing, profile));
  return {
    ...rest,
    ...(rest.attributes && { attributes: keepStockMark(rest.attributes, existing, profile) }),
    ...(brand === undefined || lesser('brand') ? {} : { brand }),
    ...(category === undefined || lesser('category') ? {} : { category }),
    ...(status === undefined || keepsStatus ? {} : { status }),
    ...(images && keepImages(images, existing.images, partial?.images)),
    ...(identity && keepIdentity(identity, existing.identity, lesser('brand'))),
    ...(variation === undefined ? {} : { variation: keepNames(variation, existing.variation) }),
  };
}

/** The row without the fields that do not count, as an earlier file said in a column that this file lacks. */
function withoutUnqualified(patch: ProductPatch, { attributes }: CatalogueProduct): ProductPatch {
  const unsaid = Object.entries(patch.partial?.unqualified ?? {}).flatMap(([field, mark]) =>
    Object.hasOwn(attributes, mark) ? [field] : [],
  );
  if (unsaid.length === 0) return patch;
  return Object.fromEntries(Object.entries(patch).filter(([field]) => !unsaid.includes(field)));
}

/**
 * Whether the seller, or a file that says so, has taken the product off sale. A draft that such a file has made waits
 * for what it lacks; every other one is the seller's.
 */
function isOff({ status, issues, external_profile }: CatalogueProduct, profile: string): boolean {
  if (status === 'draft') return issues.length === 0 || external_profile !== profile;
  return status === 'inactive' || status === 'archived';
}

/** A listings file says whether another marketplace holds the stock, but not that the store counts it. */
function keepStockMark(
  stated: NonNullable<ProductPatch['attributes']>,
  { attributes }: CatalogueProduct,
  profile: string,
): NonNullable<ProductPatch['attributes']> {
  const { stock_tracking: mark, ...others } = stated;
  const clears = mark === null && profile === 'marketplace_listings';
  return clears && attributes['stock_tracking'] !== 'elsewhere' ? others : stated;
}

/** Pictures that the product has, from a file with few columns, say nothing about the others; new ones replace as many. */
function keepImages(
  stated: readonly ImageClaim[],
  known: readonly ProductImage[],
  columns: number | undefined,
): Pick<ProductPatch, 'images'> {
  if (columns === undefined) return { images: stated };
  const has = (of: readonly { readonly url: string }[], url: string) => of.some((one) => one.url === url);
  if (stated.every(({ url }) => has(known, url))) return {};
  const beyond = known.slice(columns).filter(({ url }) => !has(stated, url));
  return { images: [...stated, ...beyond.map(({ url }) => ({ url }))] };
}

/**
 * A row without a code keeps the global id of the product, and one without an MPN keeps the MPN. The MPN that a product
 * has beside its exemption does not end the exemption: no file of another platform can state one beside an MPN.
 */
function keepIdentity(
  stated: IdentityClaim,
  known: StoredIdentity | null,
  lesserBrand: boolean,
): Pick<ProductPatch, 'identity' | 'identity_parts'> {
  const { strategy, value = '', mpn, brand, ...others } = stated;
  const parts = mpn === undefined ? {} : { mpn };
  if (strategy === 'global_id') return { identity_parts: { global_id: value, ...parts } };
  if (strategy !== 'mpn_brand') return { identity: stated };
  if (known?.strategy === 'global_id') return { identity_parts: parts };
  if (known?.strategy === 'exempt' && known.mpn !== null && foldMpn(known.mpn) === foldMpn(mpn ?? ''))
    return {};
  return { identity: lesserBrand ? { strategy, ...parts, ...others } : stated };
}

/** The names that the store-platform reader gives to options whose names the file does not have. */
const UNNAMED = /^Option[123]$/;

/**
 * Options without names keep the names of the product, each the name of an option with its value. No file of another
 * platform can name the parent of a product without options, so such a parent stays.
 */
function keepNames(stated: Variation | null, known: Variation | null): Variation | null {
  if (known === null) return stated;
  if (stated === null) return Object.keys(known.values).length === 0 ? known : null;
  const left = Object.entries(known.values).filter(([name]) => !Object.hasOwn(stated.values, name));
  const values: Record<string, string> = {};
  let renamed = false;
  for (const [name, value] of Object.entries(stated.values)) {
    const at = UNNAMED.test(name) ? left.findIndex(([, other]) => other === value) : -1;
    const [found = name] = at === -1 ? [] : (left.splice(at, 1)[0] ?? []);
    renamed ||= found !== name;
    values[found] = value;
  }
  if (!renamed) return stated;
  const { parent_sku } = stated;
  const same = left.length === 0 && Object.keys(values).length === Object.keys(known.values).length;
  return same ? { ...known, parent_sku } : { parent_sku, theme: Object.keys(values).join('/'), values };
}
