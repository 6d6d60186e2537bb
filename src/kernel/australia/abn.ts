/**
 * Australian Business Number and Australian Company Number: form and checksum only. Only the register knows
 * whether a number is registered. Source: docs/design/feeds-and-imports.md#business-numbers.
 */
const ABN_WEIGHTS = [10, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19] as const;
const ABN_MODULUS = 89;
const ACN_WEIGHTS = [8, 7, 6, 5, 4, 3, 2, 1] as const;

interface AbnCheck {
  /** The input without blanks and hyphens. */
  readonly normalised: string;
  /** Eleven digits, the first not zero. */
  readonly format_valid: boolean;
  /** Always false when the format is not valid. */
  readonly checksum_valid: boolean;
  /** The last nine digits, if they are a valid company number; otherwise null. */
  readonly acn: string | null;
  /** `acn_given`: the input is a valid ACN instead of an ABN. */
  readonly hint: 'acn_given' | null;
}

/** Removes blanks of every kind and hyphens, which people write into business numbers. */
export function normaliseBusinessNumber(text: string): string {
  return text.replace(/[\s\u200b\u2060\u2010-\u2015-]/gu, '');
}

/** Whether the last of nine digits is the ACN check digit: weights 8..1, (10 − sum mod 10) mod 10. */
export function isValidAcn(digits: string): boolean {
  if (!/^\d{9}$/.test(digits)) return false;
  const sum = weightedSum(digits, ACN_WEIGHTS);
  return (10 - (sum % 10)) % 10 === digits.charCodeAt(8) - 48;
}

/**
 * Checks an ABN as a person typed it: subtract 1 from the first digit, weights 10,1,3,…,19, sum mod 89 = 0.
 *
 * @param text blanks and hyphens are allowed anywhere
 */
export function checkAbn(text: string): AbnCheck {
  const normalised = normaliseBusinessNumber(text);
  const format_valid = /^[1-9]\d{10}$/.test(normalised);
  const checksum_valid =
    format_valid && (weightedSum(normalised, ABN_WEIGHTS) - ABN_WEIGHTS[0]) % ABN_MODULUS === 0;
  const tail = normalised.slice(2);
  return {
    normalised,
    format_valid,
    checksum_valid,
    acn: checksum_valid && isValidAcn(tail) ? tail : null,
    hint: !format_valid && isValidAcn(normalised) ? 'acn_given' : null,
  };
}

function weightedSum(digits: string, weights: readonly number[]): number {
  let sum = 0;
  for (const [index, weight] of weights.entries()) sum += weight * (digits.charCodeAt(index) - 48);
  return sum;
}
