import type { IdentityColumns } from '../identity/columns.ts';
import type { IdentityClaim, IdentityParts, RowMessage } from '../row.ts';
import { checkLine } from './check-text.ts';
import { BRAND_MAX, IDENTITY_VALUE_MAX, MPN_MAX } from './limits.ts';

/** Cleans the texts of a claim; `resolve-identity.ts` then checks the claim. */
export function checkClaim(
  claim: IdentityClaim,
  columns: IdentityColumns,
  messages: RowMessage[],
): IdentityClaim | undefined {
  const line = (value: string | undefined, max: number, column: string) =>
    value === undefined ? '' : checkLine(value, max, { column, messages });
  const value = line(claim.value, IDENTITY_VALUE_MAX, columns.value);
  const mpn = line(claim.mpn, MPN_MAX, columns.mpn);
  const brand = line(claim.brand, BRAND_MAX, columns.brand);
  const reason = line(claim.reason, IDENTITY_VALUE_MAX, columns.reason);
  if (value === undefined || mpn === undefined || brand === undefined || reason === undefined)
    return undefined;
  return {
    strategy: claim.strategy,
    ...(value === '' ? {} : { value }),
    ...(claim.scheme === undefined ? {} : { scheme: claim.scheme }),
    ...(mpn === '' ? {} : { mpn }),
    ...(brand === '' ? {} : { brand }),
    ...(reason === '' ? {} : { reason }),
    ...(claim.source === undefined ? {} : { source: claim.source }),
  };
}

/** As {@link checkClaim} for separate columns, where an empty text clears the value. */
export function checkParts(
  parts: IdentityParts,
  columns: IdentityColumns,
  messages: RowMessage[],
): IdentityParts | undefined {
  const checked: { -readonly [K in keyof IdentityParts]: IdentityParts[K] } = {};
  if (parts.strategy !== undefined) checked.strategy = parts.strategy;
  let refused = false;
  const check = (key: 'global_id' | 'mpn' | 'exempt_reason' | 'product_id', max: number, column: string) => {
    const given = parts[key];
    if (given === undefined) return;
    const text = checkLine(given, max, { column, messages });
    if (text === undefined) refused = true;
    else checked[key] = text;
  };
  check('global_id', IDENTITY_VALUE_MAX, columns.value);
  check('mpn', MPN_MAX, columns.mpn);
  check('exempt_reason', IDENTITY_VALUE_MAX, columns.reason);
  check('product_id', IDENTITY_VALUE_MAX, columns.product_id);
  return refused ? undefined : checked;
}
