/** A service in which only the test numbers and delivers events. */
import { onTestFinished } from 'vitest';
import type { CursorDb } from '../../src/kernel/context.ts';
import { Deliverer } from '../../src/modules/webhooks/delivery/deliverer.ts';
import { MODULES } from '../../src/modules.ts';
import { createCaller } from '../../src/platform/net/call.ts';
import { parseRanges } from '../../src/platform/net/classify-address.ts';
import { createResolveHost } from '../../src/platform/net/resolve-host.ts';
import { createSequencer } from '../../src/platform/outbox/sequencer.ts';
import type { Services } from '../../src/platform/services.ts';
import { startTestApp } from './app.ts';
import { runOn } from './test-server.ts';

const LOOPBACK = '127.0.0.0/8';

/** Called after the answer of each statement of a worker. */
type Between = (text: string, rows: number) => Promise<void>;
/** Called after each transaction of a worker is committed, with its statements. */
type Committed = (texts: readonly string[]) => Promise<void>;

interface Hooks {
  readonly between: Between;
  readonly committed: Committed;
}

const through =
  (services: Services, { between, committed }: Hooks): Services['withSystem'] =>
  async (reason, mode, fn, options) => {
    const texts: string[] = [];
    const value = await services.withSystem(
      reason,
      mode,
      (db) => {
        const all: CursorDb['all'] = async (statement) => {
          const rows = await db.all(statement);
          texts.push(statement.text);
          await between(statement.text, rows.length);
          return rows;
        };
        return fn({
          all,
          one: (statement) => db.one(statement),
          run: async (statement) => {
            const rows = await db.run(statement);
            await between(statement.text, rows);
            return rows;
          },
          cursor: (statement, size) => db.cursor(statement, size),
        });
      },
      options,
    );
    await committed(texts);
    return value;
  };

/** A worker that polls on command, or continuously. */
function startWorker(services: Services, hooks: Hooks) {
  const warnings: string[] = [];
  // Not a copy, because the methods of other levels use the logger itself.
  const log: Services['log'] = Object.assign(Object.create(services.log), {
    warn: (_: unknown, message: string) => warnings.push(message),
  });
  const caller = createCaller({
    resolve: createResolveHost(),
    opened: parseRanges([LOOPBACK]),
    timeoutMs: 15_000,
    headBytes: 2_048,
  });
  const one = Deliverer.of({ ...services, log, withSystem: through(services, hooks) }, caller);
  let timer: NodeJS.Timeout | undefined;
  const end = async (): Promise<void> => {
    clearInterval(timer);
    await one.stop(0);
  };
  onTestFinished(end);
  const go = (): void => {
    timer = setInterval(() => void one.tick(), 20);
  };
  return { look: () => one.tick(), go, end, warnings };
}

export async function startWithoutWorkers() {
  const app = await startTestApp({
    ROLE: 'api',
    WEBHOOK_ALLOWED_CIDRS: LOOPBACK,
    WEBHOOK_RETRY_SCHEDULE: '0,3600,3600',
  });
  const { services } = app.app;
  const sequencer = createSequencer({
    ...services,
    events: MODULES.flatMap((module) => module.events ?? []),
  });
  return {
    app,
    services,
    /** Runs the sequencer once, or until no event is left. */
    numberOnce: () => sequencer.round(),
    numberAll: async (): Promise<void> => {
      while ((await sequencer.round()) > 0);
    },
    worker: (between: Between = async () => undefined, committed: Committed = async () => undefined) =>
      startWorker(services, { between, committed }),
    sqlAs: (text: string, values: unknown[]) =>
      runOn(app.database.adminUrl, (client) => client.query(text, values)),
  };
}
