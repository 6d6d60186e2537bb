import type { WorkLoop } from '../../../kernel/route.ts';
import { defineLoop } from '../../../platform/jobs/define-loop.ts';
import { repeat } from '../../../platform/jobs/repeat.ts';
import { createCaller } from '../../../platform/net/call.ts';
import { createResolveHost } from '../../../platform/net/resolve-host.ts';
import type { Services } from '../../../platform/services.ts';
import { openedRanges } from '../settings.ts';
import { Deliverer } from './deliverer.ts';

/** The longest time from the DNS query to the end of the answer (docs/design/wire.md#webhook-deliveries). */
const TIMEOUT_MS = 15_000;
/** How much of an answer is kept (docs/design/wire.md#webhook-deliveries). */
const HEAD_BYTES = 2_048;
/** The pause between two polls. */
const POLL_EVERY_MS = 150;

function create(services: Services): WorkLoop {
  const { config, log } = services;
  const caller = createCaller({
    resolve: createResolveHost(),
    opened: openedRanges(config),
    timeoutMs: TIMEOUT_MS,
    headBytes: HEAD_BYTES,
  });
  const deliverer = Deliverer.of(services, caller);
  const loop = repeat({
    name: 'webhooks.deliveries',
    log,
    idleMs: POLL_EVERY_MS,
    round: async () => {
      await deliverer.poll();
      return false;
    },
  });
  return {
    start: () => loop.start(),
    async stop(graceMs) {
      await Promise.all([loop.stop(graceMs), deliverer.stop(graceMs)]);
    },
    due: { nextDueAt: () => deliverer.nextDueAt(), runDue: () => deliverer.runDue() },
  };
}

/** The delivery of events to endpoints. */
export const deliveryLoop = defineLoop({ name: 'webhooks.deliveries', create });
