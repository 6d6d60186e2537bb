/** Reads under load, compared with a bare server that runs the same queries on the same machine. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { applyLoad, wireGet } from './apply-load.ts';
import type { LoadResult } from './load.ts';
import type { Seller } from './sellers.ts';
import type { Service } from './service.ts';
import { settle } from './settle.ts';
import { median, pairedRatio, report, whole } from './statistics.ts';

/** As many connections as the service has for requests. */
const POOL_SIZE = 8;
const REQUESTS = 4_000;
/** Short, because service and limit alternate. */
const SLICE_MS = 1_500;
const CONNECTIONS = [16, 64] as const;
const BARE = fileURLToPath(new URL('./bare-server.ts', import.meta.url));

/** One kind of read: the requests to the service and to the bare server. */
export interface Kind<Place> {
  readonly name: string;
  readonly path: (place: Place) => string;
  readonly bare: (place: Place) => string;
}

interface Against<Place extends { readonly seller: Seller }> {
  readonly kinds: readonly Kind<Place>[];
  /** Places to read; each request picks one at random. */
  readonly places: readonly Place[];
  /** Size of the data, for the printed line. */
  readonly size: string;
  readonly quick: boolean;
  /** Default: 16 and 64. */
  readonly connections?: readonly number[];
  readonly aim?: string;
}

interface Ports {
  readonly service: number;
  readonly bare: number;
}

const figure = (results: readonly LoadResult[]): { readonly perSecond: number; readonly text: string } => {
  const middle = (get: (result: LoadResult) => number): number => median(results.map(get));
  const perSecond = middle((result) => result.perSecond);
  const times = [middle((result) => result.p50Ms), middle((result) => result.p99Ms)].map((ms) =>
    ms.toFixed(1),
  );
  return { perSecond, text: `${whole(perSecond)}/s  p50 ${times[0]} p99 ${times[1]} ms` };
};

function pick<Place>(places: readonly Place[]): Place[] {
  return Array.from({ length: REQUESTS }, () => places[Math.floor(Math.random() * places.length)]).filter(
    (place) => place !== undefined,
  );
}

/** Warms up the compilers of both servers before the measurement. */
async function warmUp<Place extends { readonly seller: Seller }>(
  ports: Ports,
  places: readonly Place[],
  kind: Kind<Place>,
  quick: boolean,
): Promise<void> {
  const load = { connections: 16, warmUpMs: 0, ms: quick ? 3_000 : 12_000 };
  const requests = places.map((place) => wireGet(kind.path(place), place.seller.token));
  await applyLoad({ ...load, port: ports.service, requests });
  await applyLoad({ ...load, port: ports.bare, requests: places.map((place) => wireGet(kind.bare(place))) });
}

async function measure<Place extends { readonly seller: Seller }>(
  ports: Ports,
  { kinds, places, size, quick, connections: numbers = CONNECTIONS, aim = '>= 60 %' }: Against<Place>,
): Promise<void> {
  const rounds = quick ? 3 : 9;
  for (const kind of kinds) {
    await warmUp(ports, pick(places), kind, quick);
    for (const connections of numbers) {
      const service: LoadResult[] = [];
      const bare: LoadResult[] = [];
      for (let round = 0; round < rounds; round += 1) {
        const chosen = pick(places);
        const load = { connections, warmUpMs: 300, ms: SLICE_MS };
        const requests = chosen.map((place) => wireGet(kind.path(place), place.seller.token));
        service.push(await applyLoad({ ...load, port: ports.service, requests }));
        const limits = chosen.map((place) => wireGet(kind.bare(place)));
        bare.push(await applyLoad({ ...load, port: ports.bare, requests: limits }));
      }
      const [ours, limit] = [figure(service), figure(bare)];
      const rates = (results: readonly LoadResult[]) => results.map(({ perSecond }) => perSecond);
      report({
        name: `${kind.name}, ${connections} connections, ${size}`,
        figure: ours.text,
        limit: limit.text,
        ratio: `${(100 * pairedRatio(rates(service), rates(bare))).toFixed(0)} %`,
        aim,
      });
    }
  }
}

/** Measures every kind with each number of connections and prints a line for each. */
export async function againstBare<Place extends { readonly seller: Seller }>(
  service: Service,
  against: Against<Place>,
): Promise<void> {
  await settle(service);
  const bare = fork(BARE, [service.superuserUrl, String(POOL_SIZE)]);
  try {
    const [port] = (await once(bare, 'message')) as [number];
    await measure({ service: Number(new URL(service.url).port), bare: port }, against);
  } finally {
    bare.kill();
    await once(bare, 'exit');
  }
}
