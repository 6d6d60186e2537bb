/**
 * A file of another platform may say less than an earlier one: it lacks columns, or rows of the product. It takes
 * nothing away that it cannot say. Source: docs/design/feeds-and-imports.md#import-profiles.
 */
import type { CatalogueProduct, ProductImage, StoredIdentity } from '../product.ts';
import type { IdentityClaim, ImageClaim, PartialFields, ProductPatch, Variation } from '../row.ts';

/**
 * The row of an import, completed with what the product has and the file cannot say.
 *
 * @param profile the import profile of the file
 */
export function keepUnsaid(patch: ProductPatch, existing: CatalogueProduct, profile: string): ProductPatch {
  const { brand, category, images, identity, status, quantity, price_minor, variation, partial, ...rest } =
    patch;
  const lesser = (field: 'brand' | 'category'): boolean => {
    const [known, attribute] = [existing[field], partial?.[field]];
    return attribute !== undefined && known !== null && existing.attributes[attribute]?.trim() !== known;
  };
  const isUnsaid = (field: keyof NonNullable<PartialFields['unqualified']>): boolean => {
    const mark = partial?.unqualified?.[field];
    return mark !== undefined && Object.hasOwn(existing.attributes, mark);
  };
  const keepsStatus = isUnsaid('status') || (partial?.status && isOff(existing, profile));
  return {
    ...rest,
    ...(brand === undefined || lesser('brand') ? {} : { brand }),
    ...(category === undefined || lesser('category') ? {} : { category }),
    ...(status === undefined || keepsStatus ? {} : { status }),
    ...(quantity === undefined || isUnsaid('quantity') ? {} : { quantity }),
    ...(price_minor === undefined || isUnsaid('price_minor') ? {} : { price_minor }),
    ...(images && keepImages(images, existing.images, partial?.images)),
    ...(identity && keepIdentity(identity, existing.identity, lesser('brand'))),
    ...(variation === undefined ? {} : { variation: keepNames(variation, existing.variation) }),
  };
}

/**
 * Whether the seller, or a file that says so, has taken the product off sale. A draft that such a file has made waits
 * for what it lacks; every other one is the seller's.
 */
function isOff({ status, issues, external_profile }: CatalogueProduct, profile: string): boolean {
  if (status === 'draft') return issues.length === 0 || external_profile !== profile;
  return status === 'inactive' || status === 'archived';
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

/** A row without a code keeps the global id of the product, and one without an MPN keeps the MPN. */
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
  return { identity: lesserBrand ? { strategy, ...parts, ...others } : stated };
}

/** The names that the store-platform reader gives to options whose names the file does not have. */
const UNNAMED = /^Option[123]$/;

/** Options without names keep the names of the product, if it has the same values. */
function keepNames(stated: Variation | null, known: Variation | null): Variation | null {
  if (stated === null || known === null || !Object.keys(stated.values).every((name) => UNNAMED.test(name)))
    return stated;
  const valuesOf = ({ values }: Variation): string => JSON.stringify(Object.values(values).sort());
  return valuesOf(stated) === valuesOf(known) ? { ...known, parent_sku: stated.parent_sku } : stated;
}
