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
import { planJob } from './actions/plan-job.ts';
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

type Work = (
  services: Services,
  key: ChannelKey,
  signal: AbortSignal,
  payload: Readonly<Record<string, unknown>>,
) => Promise<unknown>;
const isAgain = (answer: unknown): answer is { readonly againAt: number } =>
  typeof answer === 'object' && answer !== null && 'againAt' in answer;

/** A job of one channel. It runs again if its work answers when. */
const ofChannel = (kind: string, work: Work, how: { readonly long?: true } = {}): AnyJob =>
  defineJob({
    ...{ kind, ...how },
    recurring: false,
    handler: async (services, { seller_id, payload }, signal) => {
      const key = { seller_id: seller_id ?? '', channel_id: String(payload['channel_id']) };
      const answer = await work(services, key, signal, payload);
      return isAgain(answer) ? answer : undefined;
    },
  });
const LONG = { long: true } as const;

/** Work that asks the store. What the store refuses, the channel shows, and what its owner can do. */
const asking =
  (work: Work): Work =>
  async (services, key, signal, payload) => {
    try {
      return await work(services, key, signal, payload);
    } catch (error) {
      if (error instanceof StoreUnreachable) return runAgain(services, AGAIN_MS);
      if (!(error instanceof NoToken || error instanceof StoreRefused)) throw error;
      return undefined;
    }
  };

/** A store that cannot be read is compared again by the next sweep. */
const sweepOnce: Work = async (services, key, signal, { whole }) => {
  try {
    await sweepChannel(services, key, whole === true, signal);
  } catch (error) {
    const isOfStore = [NoToken, StoreRefused, StoreUnreachable, QuestionRefused].some(
      (kind) => error instanceof kind,
    );
    if (!isOfStore) throw error;
  }
};

/** The check of a channel’s subscriptions, its hourly sweep, and the nightly one if it comes before the next check. */
async function planChecks(services: Services, { seller_id, channel_id }: ChannelKey): Promise<void> {
  const { withSystem, now } = services;
  await withSystem('channels', 'write', async (db) => {
    const ctx = acting(services, { db, seller_id });
    const row = await channels.find(ctx, { channel_id });
    if (row === undefined) return;
    await planJob(ctx, PREPARE_JOB, channel_id);
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

const expire: Work = async (services, key) => {
  const againAt = await changeChannel(services, key, async (ctx, row) => {
    if (row.status !== 'authorising') return undefined;
    const open = await openUntil(ctx.db, key.seller_id, key.channel_id);
    const until = Date.parse(open?.expires_at ?? ctx.at());
    if (until > ctx.now()) return until;
    await end(ctx, row, 'abandoned');
    return undefined;
  });
  return againAt === undefined ? undefined : { againAt };
};

const leave: Work = async (services, key) => {
  const again = await leaveStore(services, key, await readChannel(services, key));
  return again ? runAgain(services, AGAIN_MS) : undefined;
};

const deactivate: Work = async (services, key, signal) => {
  const waits = await services.withSellerLong(key.seller_id, 'read', async (db) => {
    const at = { db, seller_id: key.seller_id };
    const row = await channels.find(at, key);
    return row !== undefined && isImporting(at, row);
  });
  // The products of an import are linked, and so found, when all of it was applied.
  return waits ? runAgain(services, LOOK_AGAIN_MS) : deactivateChannel(services, key, signal);
};

const askProduct: Work = (services, key, _signal, { external_product_id, create = [] }) =>
  changeChannel(services, key, (ctx, row) =>
    lookAt(ctx, row, String(external_product_id), { create: create as readonly string[] }),
  );

const askLevel: Work = (services, key, _signal, { inventory_item_id, location_id }) => {
  const place = { inventory_item_id: String(inventory_item_id), location_id: String(location_id) };
  return changeChannel(services, key, (ctx, row) => lookAtLevels(ctx, row, [levelToAskFor(place)]));
};

const announce: Work = (services, key, _signal, { kind }) =>
  changeChannel(services, key, (ctx, { channel_id }) =>
    announceWaiting(ctx, { channel_id, kind: kind as IssueKind }),
  );

export const channelJobs: readonly AnyJob[] = [
  callbackJob({ kind: WORK_JOB, work: decideAll, giveUp: failOld }),
  check,
  ofChannel(PREPARE_JOB, asking(prepareChannel)),
  ofChannel(ASK_LEVELS_JOB, asking(askLevels), LONG),
  ofChannel(CATCH_UP_JOB, catchUpLinks, LONG),
  ofChannel(EXPIRE_JOB, expire),
  ofChannel(LEAVE_JOB, leave),
  ofChannel(ANNOUNCE_JOB, announce),
  ofChannel(ASK_PRODUCT_JOB, askProduct),
  ofChannel(ASK_LEVEL_JOB, askLevel),
  ofChannel(DEACTIVATE_JOB, deactivate, LONG),
  ofChannel(SWEEP_JOB, sweepOnce, LONG),
  ofChannel(
    IMPORT_JOB,
    (services, key, signal, { run_id }) => importStore(services, key, String(run_id), signal),
    LONG,
  ),
  // These are of a seller.
  ofChannel(
    CHANNEL_RUN_JOB,
    (services, key, signal, { run_id }) => followImport(services, key.seller_id, String(run_id), signal),
    LONG,
  ),
  ofChannel(COUNT_JOB, (services, key, signal) => countListings(services, key.seller_id, signal), LONG),
];
