/**
 * Facts about a variant that the store platform's columns cannot state: pictures that the other variants lack, and
 * fields that are empty although the first record of the product has a value (an empty cell means "as above"). Our
 * exports write both into a metafield, which the platform ignores and an import reads first.
 */
import type { ImageClaim } from '../../row.ts';

/** Name of the metafield; an attribute of this name is never exported. */
export const FACTS_METAFIELD = 'seller_partner.variant';
export const FACTS_COLUMN = `Variant facts (variant.metafields.${FACTS_METAFIELD})`;

export interface VariantFacts {
  /** All pictures in their order; absent when the other columns state them. */
  readonly pictures?: readonly ImageClaim[];
  /** Names of columns that are empty for this variant. */
  readonly none?: readonly string[];
}

export function writeFacts(facts: VariantFacts): string {
  return facts.pictures === undefined && facts.none === undefined ? '' : JSON.stringify(facts);
}

/** The inverse of {@link writeFacts}; any other text states no facts. */
export function readFacts(cell: string): VariantFacts {
  if (cell === '') return {};
  const value = parsed(cell);
  if (typeof value !== 'object' || value === null) return {};
  const { pictures, none }: { pictures?: unknown; none?: unknown } = value;
  return {
    ...(Array.isArray(pictures) && pictures.every(isPicture) ? { pictures } : {}),
    ...(Array.isArray(none) && none.every((name) => typeof name === 'string') ? { none } : {}),
  };
}

function parsed(cell: string): unknown {
  try {
    return JSON.parse(cell);
  } catch {
    return null;
  }
}

function isPicture(value: unknown): value is ImageClaim {
  if (typeof value !== 'object' || value === null) return false;
  const { url, alt }: { url?: unknown; alt?: unknown } = value;
  return typeof url === 'string' && (alt === null || typeof alt === 'string');
}
