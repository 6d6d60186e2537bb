/**
 * Forms under which MPNs and brands are compared; what the seller wrote is kept beside them.
 * Source: docs/design/feeds-and-imports.md#identity.
 */

/** Down, up and down again is the nearest to Unicode case folding that the language has (`ẞ`, `ß` and `SS` are one). */
function foldCase(text: string): string {
  return text.toLowerCase().toUpperCase().toLowerCase();
}

const ASCII_WORD = /^[\x20-\x7e]*$/;

const MPN_SIGNS = /[\s\-_/.\u200b\u2010-\u2015\u2212]+/gu;

/** `AB-12_3/4.5` and `ab 12345` are one MPN; leading zeros count. */
export function foldMpn(mpn: string): string {
  if (ASCII_WORD.test(mpn)) return mpn.toLowerCase().replace(MPN_SIGNS, '');
  // The signs go first: what stands beside a letter decides its case (ς) and which marks join it.
  return foldCase(mpn.normalize('NFKC').replace(MPN_SIGNS, '').normalize('NFKC')).normalize('NFKC');
}

/** `Bosch®`, ` BOSCH ` and `bosch` are one brand. The marks go first: NFKC would turn ™ into the letters TM. */
export function foldBrand(brand: string): string {
  if (ASCII_WORD.test(brand)) return brand.toLowerCase().replace(/ +/g, ' ').trim();
  const text = foldCase(brand.replace(/[®™©℠]/gu, ' ').normalize('NFKC')).normalize('NFKC');
  return text.replace(/[\s\u200b]+/gu, ' ').trim();
}

const LEGAL_FORM = /[ ,]+(?:pty\.? ?ltd|proprietary limited|p\/l|ltd|limited|inc|incorporated|gmbh|llc)\.?$/u;

/** The folded brand without its legal form: good enough to suggest a match, never to make one. */
export function foldBrandForSuggestion(brand: string): string {
  return foldBrand(brand).replace(LEGAL_FORM, '');
}
