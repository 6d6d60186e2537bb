/**
 * Writes what attempts have brought: whatever has gathered while the last transaction ran goes into the next one.
 * Nothing is dropped: while the database is away, results wait here.
 */
import { setTimeout as rest } from 'node:timers/promises';
import type { Db, Logger } from '../../../kernel/context.ts';
import type { WithSystem } from '../../../platform/db/scope.ts';
import type { QueuedRow } from '../store/queue.ts';
import {
  type AttemptResult,
  insertAttempts,
  type Lane,
  park,
  unpark,
  writeResults,
} from '../store/results.ts';

const BATCH_MAX = 1_000;
const RECOVER_MS = 500;

/** Something else about an endpoint that belongs into the same transaction. */
export type Effect = (db: Db) => Promise<void>;

export interface ResultWriterOptions {
  readonly withSystem: WithSystem;
  readonly now: () => number;
  readonly log: Logger;
  /** Called once results are committed, and with them the freeing of those that were parked. */
  readonly onWritten: (results: readonly AttemptResult[], freed: readonly Lane[]) => void;
}

interface Batch {
  readonly results: readonly AttemptResult[];
  /** Without an attempt: deliveries whose event is gone. */
  readonly closed: readonly AttemptResult[];
  readonly parked: readonly QueuedRow[];
  readonly lanes: readonly Lane[];
  readonly effects: readonly Effect[];
}

const NOTHING: Batch = { results: [], closed: [], parked: [], lanes: [], effects: [] };
/** What the database says of data or statements, not of its own state. */
const REFUSALS = /^(?:22|23|42)/;

const isRefused = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && REFUSALS.test(String(error.code));

/** The same, each item by itself. */
const apart = ({ results, closed, parked, lanes, effects }: Batch): Batch[] => [
  ...results.map((result) => ({ ...NOTHING, results: [result] })),
  ...closed.map((result) => ({ ...NOTHING, closed: [result] })),
  ...parked.map((row) => ({ ...NOTHING, parked: [row] })),
  ...lanes.map((lane) => ({ ...NOTHING, lanes: [lane] })),
  ...effects.map((effect) => ({ ...NOTHING, effects: [effect] })),
];

export class ResultWriter {
  private readonly options: ResultWriterOptions;
  private readonly results: AttemptResult[] = [];
  private readonly closed: AttemptResult[] = [];
  private readonly parked: QueuedRow[] = [];
  private readonly lanes: Lane[] = [];
  private readonly effects: Effect[] = [];
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

  unpark(lane: Lane): void {
    this.lanes.push(lane);
    this.run();
  }

  effect(effect: Effect): void {
    this.effects.push(effect);
    this.run();
  }

  /** Resolves when everything that was added is written. */
  async drain(): Promise<void> {
    while (this.running !== undefined) await this.running;
  }

  private get empty(): boolean {
    const lists: readonly { readonly length: number }[] = [
      this.results,
      this.closed,
      this.parked,
      this.lanes,
      this.effects,
    ];
    return lists.every(({ length }) => length === 0);
  }

  private run(): void {
    this.running ??= this.write().finally(() => {
      this.running = undefined;
      if (!this.empty) this.run();
    });
  }

  private async write(): Promise<void> {
    // What answers in the same instant goes together.
    await new Promise((resolve) => setImmediate(resolve));
    while (!this.empty) {
      const batch: Batch = {
        results: this.results.splice(0, BATCH_MAX),
        closed: this.closed.splice(0, BATCH_MAX),
        parked: this.parked.splice(0),
        lanes: this.lanes.splice(0),
        effects: this.effects.splice(0),
      };
      await this.commit(batch);
      this.options.onWritten([...batch.results, ...batch.closed], batch.lanes);
    }
  }

  private async commit(batch: Batch): Promise<void> {
    const { withSystem, log } = this.options;
    for (;;) {
      try {
        await withSystem('webhooks', 'write', (db) => this.inside(db, batch));
        return;
      } catch (error) {
        const err = (error as Error).message;
        if (isRefused(error)) return this.commitApart(batch, err);
        log.warn({ err }, 'webhook results could not be written; trying again');
        await rest(RECOVER_MS);
      }
    }
  }

  /** Something in the batch is refused: the rest must not wait for it. What is refused alone is left out. */
  private async commitApart(batch: Batch, err: string): Promise<void> {
    const parts = apart(batch);
    if (parts.length === 1) {
      this.options.log.error({ err }, 'a webhook result was refused by the database and is left out');
      return;
    }
    for (const part of parts) await this.commit(part);
  }

  private async inside(db: Db, { results, closed, parked, lanes, effects }: Batch): Promise<void> {
    // Endpoints before their deliveries, as whoever changes an endpoint locks them.
    for (const effect of effects) await effect(db);
    if (results.length > 0) await db.run(insertAttempts(results));
    if (results.length + closed.length > 0) await db.run(writeResults([...results, ...closed]));
    // First those that begin to wait, then those that may go: what is both may go, and is looked at again.
    if (parked.length > 0)
      await db.run(
        park(
          parked.map(({ delivery_id }) => delivery_id),
          parked.map(({ seller_id }) => seller_id),
        ),
      );
    if (lanes.length > 0) await db.run(unpark(lanes, this.options.now()));
  }
}
