import { checkAbn } from '../../../kernel/australia/abn.ts';

export const TAX_ID_CHECKS = ['abn_valid', 'abn_invalid', 'not_abn'] as const;
export type TaxIdCheck = (typeof TAX_ID_CHECKS)[number];

/** Australian business numbers have eleven digits; no other length can be meant as one. */
const ABN_DIGITS = 11;

/** What the form of a tax identifier says. It informs; whether the seller may sell, verification decides. */
export function classifyTaxId(taxId: string): TaxIdCheck {
  if (taxId.length !== ABN_DIGITS) return 'not_abn';
  return checkAbn(taxId).checksum_valid ? 'abn_valid' : 'abn_invalid';
}
