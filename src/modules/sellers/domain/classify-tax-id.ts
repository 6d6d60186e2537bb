import { checkAbn } from '../../../kernel/australia/abn.ts';

export const TAX_ID_CHECKS = ['abn_valid', 'abn_invalid', 'not_abn'] as const;
export type TaxIdCheck = (typeof TAX_ID_CHECKS)[number];

/** An Australian business number has eleven digits. A number of another length is no attempt at one. */
const ABN_DIGITS = 11;

/**
 * What the form of a tax identifier shows. It is for information; the verification decides whether a seller may sell.
 */
export function classifyTaxId(taxId: string): TaxIdCheck {
  if (taxId.length !== ABN_DIGITS) return 'not_abn';
  return checkAbn(taxId).checksum_valid ? 'abn_valid' : 'abn_invalid';
}
