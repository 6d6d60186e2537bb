/** Jobs of channels. */
import type { AnyJob } from '../../kernel/route.ts';
import { acting } from '../../platform/acting.ts';
import { callbackJob } from '../../platform/jobs/callback-job.ts';
import { defineJob, runAgain } from '../../platform/jobs/define-job.ts';
import type { Services } from '../../platform/services.ts';
import { CHANNEL_RUN_JOB } from '../products/index.ts';
import { ANNOUNCE_JOB, announceWaiting } from './actions/announce-issue.ts';
import { ASK_LEVELS_JOB, CATCH_UP_JOB } from './actions/apply-levels.ts';
import { askLevels, catchUpLinks } from './actions/ask-levels.ts';
import { changeChannel } from './actions/ask-store.ts';
import { end } from './actions/change-status.ts';
import { EXPIRE_JOB } from './actions/connect.ts';
import { COUNT_JOB, countListings } from './actions/count-listings.ts';
import { DEACTIVATE_JOB, deactivateChannel } from './actions/deactivate-channel.ts';
import { decideAll, failOld } from './actions/decide-delivery.ts';
import { LEAVE_JOB, leaveStore } from './actions/disconnect.ts';
import { followImport, isImporting, LOOK_AGAIN_MS } from './actions/follow-import.ts';
import { IMPORT_JOB, importStore } from './actions/import-store.ts';
import { ASK_PRODUCT_JOB, lookAt } from './actions/link-variant.ts';
import { ASK_LEVEL_JOB, levelToAskFor, lookAtLevels } from './actions/look-at-levels.ts';
import { PREPARE_JOB, prepareChannel } from './actions/prepare-channel.ts';
import { SWEEP_JOB, sweepChannel } from './actions/sweep.ts';
import { NoToken, readChannel } from './actions/tokens.ts';
import { QuestionRefused } from './adapters/ask-admin.ts';
import { StoreRefused, StoreUnreachable } from './adapters/store-errors.ts';
import type { IssueKind } from './domain/issue-kinds.ts';
import { nightlyAfter } from './domain/nightly.ts';
import { openUntil } from './store/authorisations.ts';
import { type ChannelKey, channels, openChannels } from './store/channels.ts';
import { WORK_JOB } from './store/deliveries.ts';

const MINUTE_MS = 60_000;
const CHECK_EVERY_MS = 60 * MINUTE_MS;
/** A store that did not answer is asked again after this time, and with every check. */
const AGAIN_MS = 5 * MINUTE_MS;

type Work = (services: Services, key: ChannelKey, signal: AbortSignal) => Promise<void>;
/** A job that asks the store of one channel. */
const asking = (kind: string, work: Work, how: { readonly long?: true } = {}): AnyJob =>
  defineJob({
    ...{ kind, ...how },
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
const levels = asking(ASK_LEVELS_JOB, askLevels, { long: true });
const catchUp = asking(CATCH_UP_JOB, catchUpLinks, { long: true });

const importOne = defineJob({
  kind: IMPORT_JOB,
  recurring: false,
  long: true,
  handler: async (services, { seller_id, payload }, signal) => {
    const key = { seller_id: seller_id ?? '', channel_id: String(payload['channel_id']) };
    await importStore(services, key, String(payload['run_id']), signal);
    return undefined;
  },
});

const followOne = defineJob({
  kind: CHANNEL_RUN_JOB,
  recurring: false,
  long: true,
  handler: async (services, { seller_id, payload }, signal) => {
    await followImport(services, seller_id ?? '', String(payload['run_id']), signal);
    return undefined;
  },
});

/** A store that cannot be read is compared again by the next sweep. */
const isStoreFault = (error: unknown): boolean =>
  [NoToken, StoreRefused, StoreUnreachable, QuestionRefused].some((kind) => error instanceof kind);

const sweep = defineJob({
  kind: SWEEP_JOB,
  recurring: false,
  long: true,
  handler: async (services, { seller_id, payload }, signal) => {
    const key = { seller_id: seller_id ?? '', channel_id: String(payload['channel_id']) };
    try {
      await sweepChannel(services, key, payload['whole'] === true, signal);
    } catch (error) {
      if (!isStoreFault(error)) throw error;
    }
    return undefined;
  },
});

/** The check of a channel’s subscriptions, its hourly sweep, and the nightly one if it comes before the next check. */
async function planChecks(services: Services, { seller_id, channel_id }: ChannelKey): Promise<void> {
  const { withSystem, now } = services;
  await withSystem('channels', 'write', async (db) => {
    const ctx = acting(services, { db, seller_id });
    const row = await channels.find(ctx, { channel_id });
    if (row === undefined) return;
    await ctx.jobs.add({
      ...{ kind: PREPARE_JOB, payload: { channel_id }, uniqueKey: channel_id, dueAt: now() },
    });
    const nightly = nightlyAfter(channel_id, Date.parse(row.swept_whole_at ?? row.created_at));
    const isNightly = nightly < now() + CHECK_EVERY_MS;
    const add = (whole: boolean, dueAt: number): Promise<void> =>
      ctx.jobs.add({
        ...{ kind: SWEEP_JOB, payload: { channel_id, whole }, uniqueKey: `${channel_id}/${whole}`, dueAt },
      });
    if (isNightly) await add(true, Math.max(now(), nightly));
    if (!isNightly || nightly > now()) await add(false, now());
  });
}

const check = defineJob({
  kind: 'channels.check',
  recurring: true,
  catchesUp: true,
  handler: async (services) => {
    const { withSystem } = services;
    const open = await withSystem('channels', 'read', (db) => db.all(openChannels()));
    for (const channel of open) await planChecks(services, channel);
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

const deactivate = defineJob({
  kind: DEACTIVATE_JOB,
  recurring: false,
  long: true,
  handler: async (services, { seller_id, payload }, signal) => {
    const key = { seller_id: seller_id ?? '', channel_id: String(payload['channel_id']) };
    const waits = await services.withSellerLong(key.seller_id, 'read', async (db) => {
      const at = { db, seller_id: key.seller_id };
      const row = await channels.find(at, key);
      return row !== undefined && isImporting(at, row);
    });
    // The products of an import are linked, and so found, when all of it was applied.
    if (waits) return runAgain(services, LOOK_AGAIN_MS);
    await deactivateChannel(services, key, signal);
    return undefined;
  },
});

const count = defineJob({
  kind: COUNT_JOB,
  recurring: false,
  long: true,
  handler: async (services, { seller_id }, signal) => {
    await countListings(services, seller_id ?? '', signal);
    return undefined;
  },
});

const askProduct = defineJob({
  kind: ASK_PRODUCT_JOB,
  recurring: false,
  handler: async (services, { seller_id, payload }) => {
    const key = { seller_id: seller_id ?? '', channel_id: String(payload['channel_id']) };
    const create = (payload['create'] ?? []) as readonly string[];
    await changeChannel(services, key, (ctx, row) =>
      lookAt(ctx, row, String(payload['external_product_id']), { create }),
    );
    return undefined;
  },
});

const askLevel = defineJob({
  kind: ASK_LEVEL_JOB,
  recurring: false,
  handler: async (services, { seller_id, payload }) => {
    const key = { seller_id: seller_id ?? '', channel_id: String(payload['channel_id']) };
    const place = {
      inventory_item_id: String(payload['inventory_item_id']),
      location_id: String(payload['location_id']),
    };
    await changeChannel(services, key, (ctx, row) => lookAtLevels(ctx, row, [levelToAskFor(place)]));
    return undefined;
  },
});

const announceIssues = defineJob({
  kind: ANNOUNCE_JOB,
  recurring: false,
  handler: async (services, { seller_id, payload }) => {
    const of = { channel_id: String(payload['channel_id']), kind: payload['kind'] as IssueKind };
    const key = { seller_id: seller_id ?? '', channel_id: of.channel_id };
    await changeChannel(services, key, (ctx) => announceWaiting(ctx, of));
    return undefined;
  },
});

const work = callbackJob({ kind: WORK_JOB, work: decideAll, giveUp: failOld });

export const channelJobs: readonly AnyJob[] = [
  ...[prepare, check, expire, leave, work, announceIssues, levels, catchUp],
  ...[importOne, followOne, sweep, deactivate, count, askProduct, askLevel],
];
