/** Reads of one seller with few and one with many objects, in alternation. The limit is the read of the few. */
import { applyLoad, wireGet } from './apply-load.ts';
import type { LoadResult } from './load.ts';
import type { Seller } from './sellers.ts';
import type { Service } from './service.ts';
import { pairedRatio, rateOf, report, whole } from './statistics.ts';

const SLICE_MS = 1_500;

export interface FlatRead {
  readonly name: string;
  readonly path: (size: number) => string;
}

interface Sides {
  readonly sellers: readonly Seller[];
  /** Of the seller with few objects, and of the one with many. */
  readonly sizes: readonly [few: number, many: number];
  readonly connections: number;
  readonly rounds: number;
  /** Default: 90 %. */
  readonly aim?: string;
}

export async function measureFlat(
  service: Service,
  reads: readonly FlatRead[],
  { sellers, sizes, connections, rounds, aim = '>= 90 %' }: Sides,
): Promise<void> {
  const port = Number(new URL(service.url).port);
  for (const { name, path } of reads) {
    const rates: LoadResult[][] = sizes.map(() => []);
    // The first round of each warms up the compiler.
    for (let round = 0; round <= rounds; round += 1)
      for (const [index, size] of sizes.entries()) {
        const requests = [wireGet(`/api/v1${path(size)}`, sellers[index]?.token)];
        const result = await applyLoad({ port, connections, warmUpMs: 300, ms: SLICE_MS, requests });
        if (round > 0) rates[index]?.push(result);
      }
    const [few = [], many = []] = rates;
    const perSecond = (results: readonly LoadResult[]) => results.map((result) => result.perSecond);
    report({
      name: `${name}, ${whole(sizes[1])}`,
      figure: rateOf(many),
      limit: `${rateOf(few)} (${whole(sizes[0])})`,
      ratio: `${(100 * pairedRatio(perSecond(many), perSecond(few))).toFixed(0)} %`,
      aim,
    });
  }
}
