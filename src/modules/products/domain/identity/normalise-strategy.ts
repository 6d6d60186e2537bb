import { IDENTITY_STRATEGIES, type IdentityStrategy } from '../product.ts';

/** Accepts any case, and a blank or hyphen for `_` (`MPN_BRAND`, `mpn-brand`); `null` for every other text. */
export function normaliseStrategy(text: string): IdentityStrategy | null {
  const folded = text.trim().toLowerCase().replace(/[ -]/g, '_');
  return IDENTITY_STRATEGIES.find((strategy) => strategy === folded) ?? null;
}
