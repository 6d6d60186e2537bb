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
  /**
   * Sends each request once, without regard to the times above, and ends with the last answer. With a number, so many a
   * second are due, and the latency of each counts from its instant.
   */
  readonly once?: { readonly perSecond: number | null };
}

export interface LoadResult {
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p95Ms: number;
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

/** The next request of a connection, and the instant from which its latency counts; undefined after the last. */
type Take = () => { readonly wire: Buffer; readonly dueAt: number } | undefined;

/** Requests in turn for ever, from another one for each connection. */
function inTurn(wires: readonly Buffer[], first: number): Take {
  let at = first;
  return () => {
    at = (at + 1) % wires.length;
    return { wire: wires[at] ?? HEAD_END, dueAt: performance.now() };
  };
}

/** Each request once, over all connections. */
function eachOnce(wires: readonly Buffer[], perSecond: number | null): Take {
  const start = performance.now();
  let taken = 0;
  return () => {
    const wire = wires[taken];
    if (wire === undefined) return undefined;
    const dueAt = perSecond === null ? performance.now() : start + (taken / perSecond) * 1_000;
    taken += 1;
    return { wire, dueAt };
  };
}

function openConnection(port: number, take: Take, tally: Tally): Socket {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true });
  let sentAt = 0;
  let missing = 0;
  let ok = true;
  const next = (): void => {
    const one = take();
    if (one === undefined) return void socket.destroy();
    sentAt = one.dueAt;
    const early = one.dueAt - performance.now();
    if (early > 0) setTimeout(() => socket.write(one.wire), early);
    else socket.write(one.wire);
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
  const { once, connections } = order;
  const tally: Tally = { counting: once !== undefined, latencies: [], failures: 0, bytes: 0 };
  const shared = once && eachOnce(wires, once.perSecond);
  const sockets = Array.from({ length: connections }, (_, index) =>
    openConnection(
      order.port,
      shared ?? inTurn(wires, Math.floor((index * wires.length) / connections)),
      tally,
    ),
  );
  if (once === undefined) await new Promise((resolve) => setTimeout(resolve, order.warmUpMs));
  tally.counting = true;
  const start = performance.now();
  if (once === undefined) await new Promise((resolve) => setTimeout(resolve, order.ms));
  else await Promise.all(sockets.map((socket) => new Promise((resolve) => socket.once('close', resolve))));
  const seconds = (performance.now() - start) / 1000;
  tally.counting = false;
  for (const socket of sockets) socket.destroy();
  const sorted = Float64Array.from(tally.latencies).sort();
  const quantile = (share: number): number => sorted[Math.floor(sorted.length * share)] ?? Number.NaN;
  return {
    perSecond: sorted.length / seconds,
    p50Ms: quantile(0.5),
    p95Ms: quantile(0.95),
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
