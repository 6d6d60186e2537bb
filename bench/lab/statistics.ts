/** Figures of a noisy machine: each measurement alternates with its limit and is repeated; the median counts. */
import type { LoadResult } from './load.ts';

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length / 2;
  const at = (index: number): number => sorted[index] ?? Number.NaN;
  return Number.isInteger(middle) ? (at(middle - 1) + at(middle)) / 2 : at(Math.floor(middle));
}

/** The median ratio of pairs measured in alternation: other work of the machine affects both of a pair. */
export const pairedRatio = (ours: readonly number[], limits: readonly number[]): number =>
  median(ours.map((one, turn) => one / (limits[turn] ?? Number.NaN)));

export async function milliseconds(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

export const whole = (value: number): string => Math.round(value).toLocaleString('en');

/** Rate and latencies of rounds of the same load, the median of each. */
export const rateOf = (results: readonly LoadResult[]): string => {
  const middle = (get: (result: LoadResult) => number): number => median(results.map(get));
  const [p50, p95, p99] = (['p50Ms', 'p95Ms', 'p99Ms'] as const).map((name) =>
    middle((result) => result[name]).toFixed(1),
  );
  return `${whole(middle((result) => result.perSecond))}/s  p50 ${p50} p95 ${p95} p99 ${p99} ms`;
};

interface Line {
  readonly name: string;
  readonly figure: string;
  readonly limit: string;
  /** Figure divided by limit, or limit by figure if lower is better. */
  readonly ratio: string;
  readonly aim: string;
}

const WIDTHS = [46, 42, 42, 9] as const;

function print(cells: readonly string[]): void {
  console.log(cells.map((cell, index) => cell.padEnd(WIDTHS[index] ?? 0)).join(' '));
}

export function heading(title: string): void {
  console.log(`\n${title}`);
  print(['', 'service', 'limit', 'ratio', 'aim']);
}

export function report({ name, figure, limit, ratio, aim }: Line): void {
  print([name, figure, limit, ratio, aim]);
}
