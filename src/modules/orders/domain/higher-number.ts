/** The higher of two numbers of the same update; null when it has none. */
export const higherNumber = (one: bigint | null, other: bigint | null): bigint | null =>
  one === null || (other !== null && other > one) ? other : one;
