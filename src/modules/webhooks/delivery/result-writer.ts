/**
 * Writes what attempts have brought: whatever has gathered while the last transaction ran goes into the next one.
 * Nothing is dropped: while the database is away, results wait here, and so do those of an endpoint that somebody
 * is changing at this moment; those of others go on.
 */
import { setTimeout as rest } from 'node:timers/promises';
import type { Db, Logger } from '../../../kernel/context.ts';
import type { WithSystem } from '../../../platform/db/scope.ts';
import type { EndpointKey } from '../store/endpoint-row.ts';
import { type SharedRow, shareEndpoints } from '../store/endpoints.ts';
import type { QueuedRow } from '../store/queue.ts';
import {
  type AttemptResult,
  insertAttempts,
  type Lane,
  park,
  unpark,
  writeResults,
} from '../store/results.ts';
import {
  apart,
  type Effect,
  type EndpointEffect,
  endpointsOf,
  isNothing,
  NOTHING,
  onlyOf,
  type ResultBatch,
} from './result-batch.ts';

const BATCH_MAX = 1_000;
const RECOVER_MS = 500;
/** Until an endpoint is looked at again that somebody is changing. */
const HELD_MS = 20;

export interface ResultWriterOptions {
  /** The name of the worker in leases. */
  readonly owner: string;
  readonly withSystem: WithSystem;
  readonly now: () => number;
  readonly log: Logger;
  /** Called once results are committed, and with them the freeing of those that were parked. */
  readonly onWritten: (results: readonly AttemptResult[], freed: readonly Lane[]) => void;
}

/** What the database says of data or statements, not of its own state. */
const REFUSALS = /^(?:22|23|42)/;

const isRefused = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && REFUSALS.test(String(error.code));

/** Endpoints that another worker holds by now. */
const lostOf = (shared: readonly SharedRow[], owner: string): ReadonlySet<string> =>
  new Set(
    shared
      .filter(({ lease_owner }) => lease_owner !== null && lease_owner !== owner)
      .map(({ endpoint_id }) => endpoint_id),
  );

export class ResultWriter {
  private readonly options: ResultWriterOptions;
  private results: AttemptResult[] = [];
  private closed: AttemptResult[] = [];
  private parked: QueuedRow[] = [];
  private lanes: Lane[] = [];
  private effects: EndpointEffect[] = [];
  private running: Promise<void> | undefined;

  constructor(options: ResultWriterOptions) {
    this.options = options;
  }

  add(result: AttemptResult): void {
    this.results.push(result);
    this.run();
  }

  /** Ends a delivery that was not attempted. */
  close(result: AttemptResult): void {
    this.closed.push(result);
    this.run();
  }

  park(rows: readonly QueuedRow[]): void {
    if (rows.length === 0) return;
    this.parked.push(...rows);
    this.run();
  }

  unpark({ seller_id, endpoint_id }: EndpointKey, objectId: string): void {
    this.lanes.push({ seller_id, endpoint_id, objectId });
    this.run();
  }

  effect({ seller_id, endpoint_id }: EndpointKey, effect: Effect): void {
    this.effects.push({ seller_id, endpoint_id, effect });
    this.run();
  }

  /** Resolves when everything that was added is written. */
  async drain(): Promise<void> {
    while (this.running !== undefined) await this.running;
  }

  private get empty(): boolean {
    const { results, closed, parked, lanes, effects } = this;
    return isNothing({ results, closed, parked, lanes, effects });
  }

  private run(): void {
    this.running ??= this.write().finally(() => {
      this.running = undefined;
      if (!this.empty) this.run();
    });
  }

  private take(): ResultBatch {
    return {
      results: this.results.splice(0, BATCH_MAX),
      closed: this.closed.splice(0, BATCH_MAX),
      parked: this.parked.splice(0),
      lanes: this.lanes.splice(0),
      effects: this.effects.splice(0),
    };
  }

  /** Sets aside what is about some endpoints, however much that is: what is about others has its turn. */
  private aside(held: ReadonlySet<string>): ResultBatch {
    const { results, closed, parked, lanes, effects } = this;
    const all = { results, closed, parked, lanes, effects };
    [this.results, this.closed, this.parked, this.lanes, this.effects] = [[], [], [], [], []];
    this.putBack(onlyOf(all, (id) => !held.has(id)));
    return onlyOf(all, (id) => held.has(id));
  }

  /** Before what has come since: the order within an endpoint stays. */
  private putBack({ results, closed, parked, lanes, effects }: ResultBatch): void {
    this.results = [...results, ...this.results];
    this.closed = [...closed, ...this.closed];
    this.parked = [...parked, ...this.parked];
    this.lanes = [...lanes, ...this.lanes];
    this.effects = [...effects, ...this.effects];
  }

  private async write(): Promise<void> {
    // What answers in the same instant goes together.
    await new Promise((resolve) => setImmediate(resolve));
    // Endpoints that somebody is changing, and when they are looked at again.
    const held = new Set<string>();
    let again = 0;
    while (!this.empty) {
      const aside = held.size === 0 ? NOTHING : this.aside(held);
      const batch = this.take();
      const free = isNothing(batch) ? held : await this.commit(batch);
      const written = onlyOf(batch, (id) => free.has(id));
      this.options.onWritten([...written.results, ...written.closed], written.lanes);
      const left = onlyOf(batch, (id) => !free.has(id));
      this.putBack(left);
      this.putBack(aside);
      for (const { endpoint_id } of endpointsOf(left)) held.add(endpoint_id);
      if (!isNothing(left)) again = performance.now() + HELD_MS;
      // Nothing is left but what is about them.
      if (isNothing(batch)) await rest(again - performance.now());
      if (isNothing(batch) || performance.now() >= again) held.clear();
    }
  }

  /** @returns the endpoints whose part is written */
  private async commit(batch: ResultBatch): Promise<ReadonlySet<string>> {
    const { withSystem, log } = this.options;
    for (;;) {
      try {
        return await withSystem('webhooks', 'write', (db) => this.inside(db, batch));
      } catch (error) {
        const err = (error as Error).message;
        if (isRefused(error)) return this.commitApart(batch, err);
        log.warn({ err }, 'webhook results could not be written; trying again');
        await rest(RECOVER_MS);
      }
    }
  }

  /** Something in the batch is refused: the rest must not wait for it. What is refused alone is left out. */
  private async commitApart(batch: ResultBatch, err: string): Promise<ReadonlySet<string>> {
    const parts = apart(batch);
    if (parts.length === 1)
      this.options.log.error({ err }, 'a webhook result was refused by the database and is left out');
    else for (const part of parts) while ((await this.commit(part)).size === 0) await rest(HELD_MS);
    return new Set(endpointsOf(batch).map(({ endpoint_id }) => endpoint_id));
  }

  private async inside(db: Db, batch: ResultBatch): Promise<ReadonlySet<string>> {
    // Endpoints before their deliveries, as whoever changes an endpoint locks them.
    const shared = await db.all(shareEndpoints(endpointsOf(batch)));
    const free = new Set(shared.map(({ endpoint_id }) => endpoint_id));
    const { results, closed, parked: waiting, lanes, effects } = onlyOf(batch, (id) => free.has(id));
    // Whoever has taken an endpoint over waits for this transaction before asking what waits for what (waiting.ts); what
    // is written later must not move what has been asked about.
    const lost = lostOf(shared, this.options.owner);
    const of = (result: AttemptResult): AttemptResult =>
      lost.has(result.endpoint_id) ? { ...result, due_at: null } : result;
    const parked = waiting.filter(({ endpoint_id }) => !lost.has(endpoint_id));
    for (const { effect } of effects) await effect(db);
    if (results.length > 0) await db.run(insertAttempts(results));
    if (results.length + closed.length > 0) await db.run(writeResults([...results, ...closed].map(of)));
    // First those that begin to wait, then those that may go: what is both may go, and is looked at again.
    if (parked.length > 0)
      await db.run(
        park(
          parked.map(({ delivery_id }) => delivery_id),
          parked.map(({ seller_id }) => seller_id),
        ),
      );
    if (lanes.length > 0) await db.run(unpark(lanes, this.options.now()));
    return free;
  }
}
