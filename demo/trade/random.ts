/** Seeded random numbers: the same seed gives the same numbers. */
export interface Random {
  /** A number from 0 to below 1. */
  next(): number;
  /** A whole number, both ends included. */
  between(from: number, to: number): number;
  /** True in `share` of a hundred cases. */
  percent(share: number): boolean;
  pick<T>(values: readonly T[]): T | undefined;
}

const UINT32 = 2 ** 32;

/** Tommy Ettinger's mulberry32 (public domain). */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / UINT32;
  };
  const between = (from: number, to: number): number => from + Math.floor(next() * (to - from + 1));
  return {
    next,
    between,
    percent: (share) => next() * 100 < share,
    pick: (values) => values[between(0, values.length - 1)],
  };
}
