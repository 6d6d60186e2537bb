import { IDENTITY_STRATEGIES, type IdentityStrategy } from '../product.ts';

/** Reads a strategy in any case, also `MPN_BRAND` and `mpn-brand`; `null` for other texts. */
export function normaliseStrategy(text: string): IdentityStrategy | null {
  const folded = text.trim().toLowerCase().replace(/[ -]/g, '_');
  return IDENTITY_STRATEGIES.find((strategy) => strategy === folded) ?? null;
}
