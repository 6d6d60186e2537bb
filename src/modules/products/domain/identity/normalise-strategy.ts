import { IDENTITY_STRATEGIES, type IdentityStrategy } from '../product.ts';

/** Reads a strategy in any case, `MPN_BRAND` as well as `mpn-brand`; `null` when it is none of the four. */
export function normaliseStrategy(text: string): IdentityStrategy | null {
  const folded = text.trim().toLowerCase().replace(/[ -]/g, '_');
  return IDENTITY_STRATEGIES.find((strategy) => strategy === folded) ?? null;
}
