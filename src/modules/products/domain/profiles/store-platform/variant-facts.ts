/**
 * What the store platform's shape cannot say of one variant: pictures that its siblings lack, and that it has nothing
 * where the first record of its product has something, for there an empty cell means "as above". Our own exports
 * state both in a metafield, which the platform passes over and an import takes before everything else.
 */
import type { ImageClaim } from '../../row.ts';

/** Name of the metafield, and thereby of an attribute that no product can bring into such a file. */
export const FACTS_METAFIELD = 'seller_partner.variant';
export const FACTS_COLUMN = `Variant facts (variant.metafields.${FACTS_METAFIELD})`;

export interface VariantFacts {
  /** All pictures in their order; absent: the other columns say them. */
  readonly pictures?: readonly ImageClaim[];
  /** Names of columns that are empty for this variant, whatever the first record says. */
  readonly none?: readonly string[];
}

/** The text of the cell; empty when there is nothing to say. */
export function writeFacts(facts: VariantFacts): string {
  return facts.pictures === undefined && facts.none === undefined ? '' : JSON.stringify(facts);
}

/** The inverse of {@link writeFacts}; any other text says nothing. */
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
