/** Several servers, or reads of several sizes, under the same load in alternation, with the processor time of an answer. */
import type pg from 'pg';
import { applyLoad } from './apply-load.ts';
import type { LoadResult } from './load.ts';
import { type ProcessorTime, perPiece, timed } from './processor-time.ts';

const SLICE_MS = 1_000;
/** Until the compilers have done most of their work. */
const WARM_UP_MS = 5_000;

export interface Side {
  readonly port: number;
  /** The process that answers. */
  readonly pid: number;
  readonly requests: readonly string[];
}

export interface Measured {
  readonly results: readonly LoadResult[];
  /** Processor time of one answer, in microseconds. */
  readonly spent: { readonly both: number; readonly text: string };
}

/** One side of each server warms up its compilers first. */
export async function alternate(
  client: pg.Client,
  sides: readonly Side[],
  { connections, rounds }: { readonly connections: number; readonly rounds: number },
): Promise<Measured[]> {
  const found = sides.map(() => ({ results: [] as LoadResult[], spent: [] as ProcessorTime[] }));
  for (const { port, requests } of new Map(sides.map((side) => [side.port, side])).values())
    await applyLoad({ port, connections, warmUpMs: 0, ms: WARM_UP_MS, requests });
  for (let round = 0; round < rounds; round += 1)
    for (const [index, { port, pid, requests }] of sides.entries()) {
      const load = { port, connections, warmUpMs: 0, ms: SLICE_MS, requests };
      const { done, spent } = await timed(pid, client, () => applyLoad(load));
      found[index]?.results.push(done);
      found[index]?.spent.push(spent);
    }
  return found.map(({ results, spent }) => {
    const answers = results.reduce((sum, { perSecond }) => sum + (perSecond * SLICE_MS) / 1_000, 0);
    return { results, spent: perPiece(spent, answers) };
  });
}
