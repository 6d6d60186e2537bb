/** JSON in which a bigint is a number with all its digits, as the ids of the store platform are beyond 2^53. */
export const exactJson = (value: unknown): string =>
  JSON.stringify(value, (_key, inner: unknown) =>
    typeof inner === 'bigint' ? `\u0001${inner}` : inner,
  ).replaceAll(/"\\u0001(\d+)"/g, '$1');
