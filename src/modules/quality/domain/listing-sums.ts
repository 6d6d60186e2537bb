/** Sums over the products of a seller, kept with each change, so that a summary reads one row. */
import { type Code, RULES } from './readiness.ts';

/** What is kept of a product. */
interface Listing {
  readonly ready: boolean;
  readonly score: number;
  readonly codes: readonly Code[];
}

export interface ListingSums {
  readonly products: number;
  readonly ready: number;
  readonly score_sum: number;
  /** Products by the tens of their score; 100 counts with the nineties. */
  readonly score_tens: readonly number[];
  readonly codes: Readonly<Partial<Record<Code, number>>>;
}

const TENS = 10;
const FIXES_MAX = 10;
export const NO_SUMS: ListingSums = {
  products: 0,
  ready: 0,
  score_sum: 0,
  score_tens: Array<number>(TENS).fill(0),
  codes: {},
};

/** The sums without the old states of some products, and with their new states. */
export function changeSums(
  before: ListingSums,
  left: readonly Listing[],
  joined: readonly Listing[],
): ListingSums {
  const sums = { ...before, score_tens: [...before.score_tens], codes: { ...before.codes } };
  const count = (rows: readonly Listing[], by: 1 | -1): void => {
    for (const { ready, score, codes } of rows) {
      sums.products += by;
      if (ready) sums.ready += by;
      sums.score_sum += by * score;
      const ten = Math.min(TENS - 1, Math.floor(score / TENS));
      sums.score_tens[ten] = (sums.score_tens[ten] ?? 0) + by;
      for (const code of codes) sums.codes[code] = (sums.codes[code] ?? 0) + by;
    }
  };
  count(left, -1);
  count(joined, 1);
  return sums;
}

/** The rules that would gain most if every product passed them. */
export const topFixes = ({ codes }: ListingSums) =>
  RULES.map(({ code, weight }) => {
    const products = codes[code] ?? 0;
    return { code, products, gain: products * weight };
  })
    .filter(({ gain }) => gain > 0)
    .toSorted((a, b) => b.gain - a.gain)
    .slice(0, FIXES_MAX);

/** Mean of the scores, half up; null without products. */
export const meanScore = ({ products, score_sum }: ListingSums): number | null =>
  products === 0 ? null : Math.round(score_sum / products);
