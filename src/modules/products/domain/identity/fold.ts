/**
 * Folds MPNs and brands for comparison.
 * Source: docs/design/feeds-and-imports.md#identity.
 */

/** Approximates Unicode case folding, which JavaScript lacks: `ẞ`, `ß` and `SS` become equal. */
function foldCase(text: string): string {
  return text.toLowerCase().toUpperCase().toLowerCase();
}

const ASCII_WORD = /^[\x20-\x7e]*$/;

const MPN_SIGNS = /[\s\-_/.\u200b\u2010-\u2015\u2212]+/gu;

/** `AB-12_3/4.5` and `ab 12345` are the same MPN; leading zeros count. */
export function foldMpn(mpn: string): string {
  if (ASCII_WORD.test(mpn)) return mpn.toLowerCase().replace(MPN_SIGNS, '');
  // Signs are removed first, because the lower case of a letter depends on its neighbours (Σ becomes σ or ς).
  return foldCase(mpn.normalize('NFKC').replace(MPN_SIGNS, '').normalize('NFKC')).normalize('NFKC');
}

/** `Bosch®`, ` BOSCH ` and `bosch` are the same brand. ™ is removed first, because NFKC turns it into TM. */
export function foldBrand(brand: string): string {
  if (ASCII_WORD.test(brand)) return brand.toLowerCase().replace(/ +/g, ' ').trim();
  const text = foldCase(brand.replace(/[®™©℠]/gu, ' ').normalize('NFKC')).normalize('NFKC');
  return text.replace(/[\s\u200b]+/gu, ' ').trim();
}
