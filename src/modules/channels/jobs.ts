/** Jobs of channels. */
import type { AnyJob } from '../../kernel/route.ts';
import { acting } from '../../platform/acting.ts';
import { callbackJob } from '../../platform/jobs/callback-job.ts';
import { defineJob, runAgain } from '../../platform/jobs/define-job.ts';
import type { Services } from '../../platform/services.ts';
import { CHANNEL_RUN_JOB } from '../products/index.ts';
import { APPLY_LEVELS_JOB, ASK_LEVELS_JOB } from './actions/apply-levels.ts';
import { applyAllLevels, askLevels } from './actions/ask-levels.ts';
import { changeChannel } from './actions/ask-store.ts';
import { end } from './actions/change-status.ts';
import { EXPIRE_JOB } from './actions/connect.ts';
import { decideAll, failOld } from './actions/decide-delivery.ts';
import { LEAVE_JOB, leaveStore } from './actions/disconnect.ts';
import { followImport } from './actions/follow-import.ts';
import { IMPORT_JOB, importStore } from './actions/import-store.ts';
import { PREPARE_JOB, prepareChannel } from './actions/prepare-channel.ts';
import { NoToken, readChannel } from './actions/tokens.ts';
import { StoreRefused, StoreUnreachable } from './adapters/store-errors.ts';
import { openUntil } from './store/authorisations.ts';
import { type ChannelKey, openChannels } from './store/channels.ts';
import { WORK_JOB } from './store/deliveries.ts';

const MINUTE_MS = 60_000;
const CHECK_EVERY_MS = 60 * MINUTE_MS;
/** A store that did not answer is asked again after this time, and with every check. */
const AGAIN_MS = 5 * MINUTE_MS;

type Work = (services: Services, key: ChannelKey, signal: AbortSignal) => Promise<void>;
/** A job that asks the store of one channel. */
const asking = (kind: string, work: Work): AnyJob =>
  defineJob({
    kind,
    recurring: false,
    handler: async (services, { seller_id, payload }, signal) => {
      const key = { seller_id: seller_id ?? '', channel_id: String(payload['channel_id']) };
      try {
        await work(services, key, signal);
      } catch (error) {
        if (error instanceof StoreUnreachable) return runAgain(services, AGAIN_MS);
        // The channel shows it, and what its owner can do.
        if (!(error instanceof NoToken || error instanceof StoreRefused)) throw error;
      }
      return undefined;
    },
  });

const prepare = asking(PREPARE_JOB, prepareChannel);
const levels = asking(ASK_LEVELS_JOB, askLevels);
const levelsOfAll = asking(APPLY_LEVELS_JOB, applyAllLevels);

const importOne = defineJob({
  kind: IMPORT_JOB,
  recurring: false,
  handler: async (services, { seller_id, payload }, signal) => {
    const key = { seller_id: seller_id ?? '', channel_id: String(payload['channel_id']) };
    await importStore(services, key, String(payload['run_id']), signal);
    return undefined;
  },
});

const followOne = defineJob({
  kind: CHANNEL_RUN_JOB,
  recurring: false,
  handler: async (services, { seller_id, payload }, signal) => {
    await followImport(services, seller_id ?? '', String(payload['run_id']), signal);
    return undefined;
  },
});

const check = defineJob({
  kind: 'channels.check',
  recurring: true,
  catchesUp: true,
  handler: async (services) => {
    const { withSystem, now } = services;
    const open = await withSystem('channels', 'read', (db) => db.all(openChannels()));
    for (const { seller_id, channel_id } of open)
      await withSystem('channels', 'single', (db) =>
        acting(services, { db, seller_id }).jobs.add({
          ...{ kind: PREPARE_JOB, payload: { channel_id }, uniqueKey: channel_id, dueAt: now() },
        }),
      );
    return runAgain(services, CHECK_EVERY_MS);
  },
});

const expire = defineJob({
  kind: EXPIRE_JOB,
  recurring: false,
  handler: async (services, { seller_id, payload }) => {
    const key = { seller_id: seller_id ?? '', channel_id: String(payload['channel_id']) };
    const { now } = services;
    const againAt = await changeChannel(services, key, async (ctx, row) => {
      if (row.status !== 'authorising') return undefined;
      const open = await openUntil(ctx.db, key.seller_id, key.channel_id);
      const until = Date.parse(open?.expires_at ?? new Date(now()).toISOString());
      if (until > now()) return until;
      await end(ctx, row, 'abandoned');
      return undefined;
    });
    return againAt === undefined ? undefined : { againAt };
  },
});

const leave = defineJob({
  kind: LEAVE_JOB,
  recurring: false,
  handler: async (services, { seller_id, payload }) => {
    const key = { seller_id: seller_id ?? '', channel_id: String(payload['channel_id']) };
    const again = await leaveStore(services, key, await readChannel(services, key));
    return again ? runAgain(services, AGAIN_MS) : undefined;
  },
});

const work = callbackJob({ kind: WORK_JOB, work: decideAll, giveUp: failOld });

export const channelJobs: readonly AnyJob[] = [
  ...[prepare, check, expire, leave, work, levels, levelsOfAll],
  ...[importOne, followOne],
];
