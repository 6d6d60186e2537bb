/** A service in which only the test numbers and delivers events. */
import { onTestFinished } from 'vitest';
import { Deliverer } from '../../src/modules/webhooks/delivery/deliverer.ts';
import {
  createDeliveryStore,
  type DeliveryStore,
} from '../../src/modules/webhooks/delivery/delivery-store.ts';
import { MODULES } from '../../src/modules.ts';
import { createCaller } from '../../src/platform/net/call.ts';
import { parseRanges } from '../../src/platform/net/classify-address.ts';
import { createResolveHost } from '../../src/platform/net/resolve-host.ts';
import { createSequencer } from '../../src/platform/outbox/sequencer.ts';
import type { Services } from '../../src/platform/services.ts';
import { startTestApp } from './app.ts';
import { runOn } from './test-server.ts';

const LOOPBACK = '127.0.0.0/8';

type Transaction = keyof DeliveryStore;
/** What a test does before a transaction of a worker, or after its answer, with the number of rows. */
export interface Hooks {
  readonly before?: (name: Transaction) => Promise<void>;
  readonly after?: (name: Transaction, rows: number) => Promise<void>;
}

function hooked(store: DeliveryStore, { before, after }: Hooks): DeliveryStore {
  const hook = (name: Transaction, run: (...args: never[]) => Promise<unknown>) => {
    return async (...args: never[]): Promise<unknown> => {
      await before?.(name);
      const answer = await run(...args);
      await after?.(name, Array.isArray(answer) ? answer.length : 0);
      return answer;
    };
  };
  const names = Object.keys(store) as Transaction[];
  return Object.fromEntries(names.map((name) => [name, hook(name, store[name])])) as never;
}

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
  const store = hooked(createDeliveryStore(services), hooks);
  const one = new Deliverer({ services: { ...services, log }, store, caller });
  let timer: NodeJS.Timeout | undefined;
  const end = async (): Promise<void> => {
    clearInterval(timer);
    await one.stop(0);
  };
  onTestFinished(end);
  const go = (): void => {
    timer = setInterval(() => void one.poll(), 20);
  };
  return { poll: () => one.poll(), go, end, warnings };
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
    onNumbered: MODULES.flatMap(({ onNumbered = [] }) => onNumbered),
  });
  return {
    app,
    services,
    /** Runs the sequencer once, or until no event is left. */
    numberOnce: () => sequencer.round(),
    numberAll: async (): Promise<void> => {
      while ((await sequencer.round()) > 0);
    },
    worker: (hooks: Hooks = {}) => startWorker(services, hooks),
    sqlAs: (text: string, values: unknown[]) =>
      runOn(app.database.adminUrl, (client) => client.query(text, values)),
  };
}
