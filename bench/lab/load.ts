/**
 * A load generator in a process of its own, cheap enough to leave the machine to what it measures: plain sockets,
 * one request at a time on each, no parsing beyond status and length.
 * Takes {@link LoadOrder} as a message, answers with {@link LoadResult}.
 */
import { connect, type Socket } from 'node:net';

export interface LoadOrder {
  readonly port: number;
  /** Complete requests in wire format; each connection starts at another one. */
  readonly requests: readonly string[];
  readonly connections: number;
  readonly warmUpMs: number;
  readonly ms: number;
}

export interface LoadResult {
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly failures: number;
  readonly bytesPerAnswer: number;
}

const HEAD_END = Buffer.from('\r\n\r\n');

interface Tally {
  counting: boolean;
  readonly latencies: number[];
  failures: number;
  bytes: number;
}

/** Length of the whole answer that begins with this chunk, and its status. */
function readHead(chunk: Buffer): { readonly total: number; readonly ok: boolean } {
  const end = chunk.indexOf(HEAD_END);
  const head = chunk.toString('latin1', 0, end);
  const length = /content-length: (\d+)/i.exec(head)?.[1];
  if (end === -1 || length === undefined)
    throw new Error(`not an answer with a length: ${head.slice(0, 300)}`);
  return { total: end + HEAD_END.length + Number(length), ok: head.startsWith('HTTP/1.1 200') };
}

function openConnection(order: LoadOrder, wires: readonly Buffer[], first: number, tally: Tally): Socket {
  const socket = connect({ port: order.port, host: '127.0.0.1', noDelay: true });
  let at = first;
  let sentAt = 0;
  let missing = 0;
  let ok = true;
  const next = (): void => {
    at = (at + 1) % wires.length;
    sentAt = performance.now();
    socket.write(wires[at] ?? '');
  };
  socket.on('connect', next);
  socket.on('data', (chunk) => {
    if (missing === 0) ({ total: missing, ok } = readHead(chunk));
    missing -= chunk.length;
    if (tally.counting) tally.bytes += chunk.length;
    if (missing > 0) return;
    if (tally.counting) {
      tally.latencies.push(performance.now() - sentAt);
      if (!ok) tally.failures += 1;
    }
    next();
  });
  socket.on('error', (error) => {
    throw error;
  });
  return socket;
}

async function run(order: LoadOrder): Promise<LoadResult> {
  const wires = order.requests.map((text) => Buffer.from(text));
  const tally: Tally = { counting: false, latencies: [], failures: 0, bytes: 0 };
  const sockets = Array.from({ length: order.connections }, (_, index) =>
    openConnection(order, wires, Math.floor((index * wires.length) / order.connections), tally),
  );
  await new Promise((resolve) => setTimeout(resolve, order.warmUpMs));
  tally.counting = true;
  const start = performance.now();
  await new Promise((resolve) => setTimeout(resolve, order.ms));
  const seconds = (performance.now() - start) / 1000;
  tally.counting = false;
  for (const socket of sockets) socket.destroy();
  const sorted = Float64Array.from(tally.latencies).sort();
  const quantile = (share: number): number => sorted[Math.floor(sorted.length * share)] ?? Number.NaN;
  return {
    perSecond: sorted.length / seconds,
    p50Ms: quantile(0.5),
    p99Ms: quantile(0.99),
    failures: tally.failures,
    bytesPerAnswer: tally.bytes / sorted.length,
  };
}

process.once('message', (order: LoadOrder) => {
  run(order).then((result) => {
    process.send?.(result);
    process.disconnect();
  }, fail);
});

function fail(error: unknown): void {
  console.error(error);
  process.exit(1);
}
