/**
 * Bounds of a number of units: counts with mean μ and variance φ × μ. Poisson for φ = 1, else negative binomial.
 * Source: docs/forecasting.md#quantiles.
 */

const POISSON_MAX = 1.0001;
/** Below this logarithm the probability of 0 loses its digits, and the normal approximation is close. */
const LN_ZERO_MIN = -600;

interface Counts {
  /** Probability of 0, as a logarithm. */
  readonly lnZero: number;
  /** P(k + 1) / P(k) */
  readonly ratio: (k: number) => number;
}

function countsOf(mean: number, dispersion: number): Counts {
  if (dispersion <= POISSON_MAX) return { lnZero: -mean, ratio: (k) => mean / (k + 1) };
  const size = mean / (dispersion - 1);
  const p = 1 / dispersion;
  return { lnZero: size * Math.log(p), ratio: (k) => ((size + k) * (1 - p)) / (k + 1) };
}

/** The smallest number of units that is enough with this probability. @param share between 0 and 1 */
export function quantile(mean: number, dispersion: number, share: number): number {
  if (mean <= 0) return 0;
  const { lnZero, ratio } = countsOf(mean, dispersion);
  if (lnZero < LN_ZERO_MIN)
    return Math.max(0, Math.ceil(mean + normalQuantile(share) * Math.sqrt(dispersion * mean) - 0.5));
  let probability = Math.exp(lnZero);
  let total = probability;
  let k = 0;
  // Rounding may keep the total below a share that is close to 1; a term that adds nothing ends the search.
  while (total < share && (k < mean || total + probability > total)) {
    probability *= ratio(k);
    total += probability;
    k += 1;
  }
  return k;
}

/** The probability of more units than this. */
export function chanceAbove(mean: number, dispersion: number, units: number): number {
  if (mean <= 0) return units < 0 ? 1 : 0;
  const { lnZero, ratio } = countsOf(mean, dispersion);
  if (lnZero < LN_ZERO_MIN) return 1 - normalShare((units + 0.5 - mean) / Math.sqrt(dispersion * mean));
  let probability = Math.exp(lnZero);
  let total = probability;
  for (let k = 0; k < units && (k < mean || total + probability > total); k += 1) {
    probability *= ratio(k);
    total += probability;
  }
  return Math.max(0, 1 - total);
}

/** The share of a normal distribution below z: Abramowitz and Stegun 26.2.17, to 7 digits. */
function normalShare(z: number): number {
  const t = 1 / (1 + 0.231_641_9 * Math.abs(z));
  const series =
    t *
    (0.319_381_53 + t * (-0.356_563_782 + t * (1.781_477_937 + t * (-1.821_255_978 + t * 1.330_274_429))));
  const tail = (Math.exp((-z * z) / 2) / Math.sqrt(2 * Math.PI)) * series;
  return z < 0 ? tail : 1 - tail;
}

/** The inverse, by bisection: it is used for large means only. */
function normalQuantile(share: number): number {
  let [low, high] = [-8, 8];
  while (high - low > 1e-7) {
    const middle = (low + high) / 2;
    if (normalShare(middle) < share) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}
