/**
 * Time from the spawn of the program to the first 200, on a used folder and on an empty one, compared with PostgreSQL
 * alone on the same folder and an empty Node program. The files of both are in the page cache, and the copy of a first
 * installation exists already.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { type DemoMarketplace, startDemoMarketplace } from '../demo/index.ts';
import { prepareBinaries } from '../src/platform/embedded-postgres/binaries.ts';
import { ensureCluster } from '../src/platform/embedded-postgres/cluster.ts';
import { prepareSite } from '../src/platform/embedded-postgres/data-directory.ts';
import { freePort, startServer, stopServer } from '../src/platform/embedded-postgres/server-process.ts';
import { feedFile } from './lab/feed-file.ts';
import { feed, makeSellers, type Target } from './lab/sellers.ts';
import { inTemporaryDirectory, spawnMain } from './lab/service.ts';
import { heading, median, milliseconds, report, whole } from './lab/statistics.ts';

const POLL_MS = 5;
const PRODUCTS = 1_000;

/** A product and the token that may read it. */
interface Reader {
  readonly url: string;
  readonly token: string;
}

interface Folder {
  readonly dir: string;
  readonly port: number;
  readonly internalPort: number;
  readonly marketplace: DemoMarketplace;
}

interface Times {
  readonly ready: number[];
  readonly read: number[];
  readonly limit: number[];
}

const noTimes = (): Times => ({ ready: [], read: [], limit: [] });

async function inFolder<T>(work: (folder: Folder) => Promise<T>): Promise<T> {
  return inTemporaryDirectory(async (dir) => {
    const marketplace = await startDemoMarketplace({ port: 0, dataDir: dir });
    try {
      const [port, internalPort] = [await freePort(undefined), await freePort(undefined)];
      return await work({ dir, port, internalPort, marketplace });
    } finally {
      await marketplace.stop();
    }
  });
}

const targetOf = ({ port, internalPort, marketplace }: Folder): Target => ({
  url: `http://127.0.0.1:${port}`,
  internalUrl: `http://127.0.0.1:${internalPort}`,
  marketplace,
});

/** Asks until the answer is 200. */
async function untilOk(child: ChildProcess, url: string, token?: string): Promise<void> {
  const headers: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` };
  for (;;) {
    const status = await fetch(url, { headers }).then(
      async (response) => {
        await response.arrayBuffer();
        return response.status;
      },
      () => undefined,
    );
    if (status === 200) return;
    if (child.exitCode !== null) throw new Error(`the service ended with ${child.exitCode}`);
    await sleep(POLL_MS);
  }
}

/** Makes a seller with products over HTTP, as a client does. */
async function makeReader(folder: Folder): Promise<Reader> {
  const target = targetOf(folder);
  const [seller] = await makeSellers(target, 1);
  if (seller === undefined) throw new Error('no seller');
  await feed(target, seller, feedFile(PRODUCTS));
  const headers = { authorization: `Bearer ${seller.token}` };
  const list = await fetch(`${target.url}/api/v1/products?limit=1`, { headers });
  const { data } = (await list.json()) as { data: { product_id: string }[] };
  return { url: `${target.url}/api/v1/products/${data[0]?.product_id}`, token: seller.token };
}

/**
 * Starts the service and waits for its first answers. Without `reader` the folder is empty, and a product is created
 * before the read.
 *
 * @returns milliseconds from the spawn, and a reader for later starts on this folder
 */
async function start(folder: Folder, reader?: Reader) {
  const { dir, marketplace, port, internalPort } = folder;
  const env = { PORT: String(port), INTERNAL_PORT: String(internalPort) };
  const began = performance.now();
  const child = spawnMain(dir, marketplace, { env });
  try {
    await untilOk(child, `${targetOf(folder).url}/health/ready`);
    const ready = performance.now() - began;
    const whoReads = reader ?? (await makeReader(folder));
    await untilOk(child, whoReads.url, whoReads.token);
    return { ready, read: performance.now() - began, reader: whoReads };
  } finally {
    child.kill('SIGTERM');
    if (child.exitCode === null) await once(child, 'exit');
  }
}

/** PostgreSQL alone, initialised in an empty folder, and then a Node program that ends at once. */
async function startBare(dir: string): Promise<number> {
  const site = prepareSite(dir);
  const binaries = prepareBinaries(site);
  let pid: number | undefined;
  const ms = await milliseconds(async () => {
    await ensureCluster({ ...site, binaries, password: 'of-no-use', durability: 'full' });
    ({ pid } = await startServer({
      site,
      binaries,
      port: undefined,
      durability: 'full',
      log: () => undefined,
    }));
    await once(spawn(process.execPath, ['-e', '0']), 'exit');
  });
  if (pid !== undefined) await stopServer(pid);
  return ms;
}

async function onInitialised(rounds: number): Promise<Times> {
  const times = noTimes();
  await inFolder(async (folder) => {
    const { reader } = await start(folder);
    for (let round = 0; round < rounds; round += 1) {
      const { ready, read } = await start(folder, reader);
      times.ready.push(ready);
      times.read.push(read);
      times.limit.push(await startBare(folder.dir));
    }
  });
  return times;
}

async function onEmpty(rounds: number): Promise<Times> {
  const times = noTimes();
  for (let round = 0; round < rounds; round += 1) {
    const { ready, read } = await inFolder((folder) => start(folder));
    times.ready.push(ready);
    times.read.push(read);
    times.limit.push(await inTemporaryDirectory(startBare));
  }
  return times;
}

function show(name: string, times: readonly number[], limits: readonly number[], aim = ''): void {
  const [ms, limitMs] = [median(times), median(limits)];
  report({
    name,
    figure: `${whole(ms)} ms  (${whole(Math.min(...times))} to ${whole(Math.max(...times))})`,
    limit: `${whole(limitMs)} ms  (${whole(Math.min(...limits))} to ${whole(Math.max(...limits))})`,
    ratio: `${(ms / limitMs).toFixed(1)}x`,
    aim,
  });
}

export async function benchStarts({ quick }: { readonly quick: boolean }): Promise<void> {
  heading('Starts (spawn to first 200; limit: PostgreSQL alone on the same folder, then node -e 0)');
  const rounds = quick ? 3 : 7;
  const initialised = await onInitialised(rounds);
  show('initialised folder, /health/ready', initialised.ready, initialised.limit, '≤ 1,200 ms');
  show('initialised folder, a product', initialised.read, initialised.limit);
  const empty = await onEmpty(rounds);
  show('empty folder, /health/ready', empty.ready, empty.limit, '≤ 3,000 ms');
  show(`empty folder, one of ${whole(PRODUCTS)} products fed first`, empty.read, empty.limit);
}
