/**
 * Writes the results of attempts. Results that arrive while one transaction runs go into the next one. They wait here
 * while the database is down, and while a seller changes their endpoint. A result is dropped only if the database also
 * refuses it in a transaction of its own; the log then has an error.
 */
import { setImmediate as afterAnswers } from 'node:timers/promises';
import type { Logger } from '../../../kernel/context.ts';
import type { EndpointKey } from '../store/endpoints.ts';
import type { DeliveryStore, EndpointWrite, Write } from './delivery-store.ts';
import type { Timing } from './timing.ts';

/** Most writes of one transaction. */
const BATCH_MAX = 1_000;
const RECOVER_MS = 500;
/** Pause before the next try on an endpoint that a seller is changing. */
const CHANGING_MS = 20;

/** An endpoint with results to write. */
export interface WriteSource {
  readonly row: EndpointKey;
  /** Is called after the commit of these writes. */
  written(writes: readonly Write[]): void;
}

interface ResultWriterOptions {
  /** The name of the process in leases. */
  readonly owner: string;
  readonly store: Pick<DeliveryStore, 'write'>;
  readonly log: Logger;
  readonly timing: Timing;
}

interface Pending {
  readonly writes: Write[];
  readonly notBefore: number;
}

/** The writes of one endpoint in a transaction. */
interface Part {
  readonly source: WriteSource;
  readonly writes: readonly Write[];
}

/** The SQLSTATE classes of errors in the data or the statement. Other errors may end by themselves. */
const REFUSALS = /^(?:22|23|42)/;

const isRefused = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && REFUSALS.test(String(error.code));

const writesOf = (batch: readonly Part[]): EndpointWrite[] =>
  batch.flatMap(({ source: { row }, writes }) =>
    writes.map((write) => ({ seller_id: row.seller_id, endpoint_id: row.endpoint_id, write })),
  );

export class ResultWriter {
  private readonly options: ResultWriterOptions;
  private readonly pending = new Map<WriteSource, Pending>();
  private running: Promise<void> | undefined;

  constructor(options: ResultWriterOptions) {
    this.options = options;
  }

  add(source: WriteSource, ...writes: readonly Write[]): void {
    if (writes.length === 0) return;
    const pending = this.pending.get(source);
    if (pending === undefined) this.pending.set(source, { writes: [...writes], notBefore: 0 });
    else pending.writes.push(...writes);
    this.running ??= this.run();
  }

  /** Resolves when all results are written. */
  async drain(): Promise<void> {
    while (this.running !== undefined) await this.running;
  }

  private async run(): Promise<void> {
    // Answers that arrive together are written together.
    await afterAnswers();
    const { timing } = this.options;
    while (this.pending.size > 0) {
      const batch = this.take(timing.elapsed());
      if (batch.length === 0) await timing.wait(this.waitMs());
      else this.conclude(batch, await this.commit(batch));
    }
    this.running = undefined;
  }

  private take(now: number): Part[] {
    const batch: Part[] = [];
    let room = BATCH_MAX;
    for (const [source, { writes, notBefore }] of [...this.pending]) {
      if (room === 0) break;
      if (notBefore > now) continue;
      const part = writes.slice(0, room);
      room -= part.length;
      batch.push({ source, writes: part });
      this.pending.delete(source);
      // The remaining writes go to the end of the queue, so that other endpoints are next.
      if (part.length < writes.length)
        this.pending.set(source, { writes: writes.slice(part.length), notBefore });
    }
    return batch;
  }

  private waitMs(): number {
    const first = Math.min(...[...this.pending.values()].map(({ notBefore }) => notBefore));
    return Math.max(1, first - this.options.timing.elapsed());
  }

  private conclude(batch: readonly Part[], written: ReadonlySet<string>): void {
    const notBefore = this.options.timing.elapsed() + CHANGING_MS;
    for (const { source, writes } of batch) {
      if (written.has(source.row.endpoint_id)) source.written(writes);
      // These writes go before the ones that have arrived since, to keep the order of the endpoint.
      else {
        const later = this.pending.get(source)?.writes ?? [];
        this.pending.set(source, { writes: [...writes, ...later], notBefore });
      }
    }
  }

  /** @returns the endpoints whose writes are committed or dropped */
  private async commit(batch: readonly Part[]): Promise<ReadonlySet<string>> {
    const { owner, store, log, timing } = this.options;
    for (;;) {
      try {
        return await store.write(owner, writesOf(batch));
      } catch (error) {
        const err = (error as Error).message;
        if (isRefused(error)) return this.commitApart(batch, err);
        log.warn({ err }, 'webhook results could not be written; trying again');
        await timing.wait(RECOVER_MS);
      }
    }
  }

  /** Tries each write alone after a refusal, so that the other writes succeed. Drops a write that is refused again. */
  private async commitApart(batch: readonly Part[], err: string): Promise<ReadonlySet<string>> {
    const single = batch.flatMap(({ source, writes }) =>
      writes.map((write) => ({ source, writes: [write] })),
    );
    if (single.length === 1)
      this.options.log.error({ err }, 'a webhook result was refused by the database and is left out');
    else
      for (const one of single)
        while ((await this.commit([one])).size === 0) await this.options.timing.wait(CHANGING_MS);
    return new Set(batch.map(({ source }) => source.row.endpoint_id));
  }
}
