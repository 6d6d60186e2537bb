import type { Acting } from '../../../kernel/context.ts';
import { coreErrors, fail, invalid } from '../../../kernel/errors.ts';
import { idOf } from '../../../kernel/id-of.ts';
import { parseInstant } from '../../../kernel/instant.ts';
import type { Services } from '../../../platform/services.ts';
import { errors } from '../errors.ts';
import { type EndpointRow, findEndpoint } from '../store/endpoints.ts';
import {
  countUnsent,
  countWanted,
  failReplay,
  queueReplay,
  type ReplayRow,
  replays,
  type Unsent,
} from '../store/replays.ts';

export const REPLAY_JOB = 'webhooks.replay';
/** Events per statement, which takes some ten milliseconds. */
const BATCH = 1_000;

interface ReplayWanted {
  readonly from: string;
  readonly to?: string | undefined;
  readonly types?: readonly string[] | undefined;
  readonly only_failed?: boolean | undefined;
}

interface Range {
  readonly from_at: string;
  readonly to_at: string;
}

/** @throws ApiError 422 at `body.from` or `body.to` */
function rangeOf({ from, to }: ReplayWanted, now: number): Range {
  const instant = (name: 'from' | 'to', text: string): number => {
    const ms = parseInstant(text);
    if (ms === undefined)
      throw invalid([
        { loc: ['body', name], msg: 'Must be an RFC 3339 instant.', type: 'format_invalid', input: text },
      ]);
    return ms;
  };
  const start = instant('from', from);
  // The range includes events of this instant.
  const end = to === undefined ? now + 1 : instant('to', to);
  if (end <= start)
    throw invalid([{ loc: ['body', 'to'], msg: 'Must be after "from".', type: 'greater_than', input: to }]);
  return { from_at: new Date(start).toISOString(), to_at: new Date(end).toISOString() };
}

/**
 * Starts to deliver the events of a range again. Events after `fanned_through` are delivered anyway and are not part of
 * the replay.
 *
 * @throws ApiError 409 `endpoint_not_active`, 422
 */
export async function startReplay(
  ctx: Acting,
  endpoint: EndpointRow,
  wanted: ReplayWanted,
): Promise<ReplayRow> {
  const { endpoint_id, status, event_types, fanned_through: through } = endpoint;
  if (status !== 'active') throw fail(errors.endpoint_not_active, { facts: { status } });
  const range = {
    replay_id: ctx.ids.next('rpl_'),
    endpoint_id,
    ...rangeOf(wanted, ctx.now()),
    types: wanted.types ?? event_types,
    only_failed: wanted.only_failed ?? false,
    through,
    created_at: ctx.at(),
  };
  const total = await countWanted(ctx, range);
  const row: ReplayRow = { ...range, total, queued_through: 0n, queued: 0, status: 'running' };
  await replays.insert(ctx, row);
  await ctx.jobs.add({ kind: REPLAY_JOB, payload: { replay_id: row.replay_id }, dueAt: ctx.now() });
  return row;
}

/** @throws ApiError 404 `not_found` */
export async function readReplay(
  ctx: Acting,
  endpointId: string,
  replayId: string,
): Promise<{ readonly row: ReplayRow; readonly unsent: Unsent }> {
  const row = await replays.find(ctx, { replay_id: idOf('rpl_', replayId) });
  if (row === undefined || row.endpoint_id !== endpointId) throw fail(coreErrors.not_found);
  return { row, unsent: await countUnsent(ctx, row) };
}

/** Queues all events of a replay, a batch at a time; an interrupted run continues where it stopped. */
export async function runReplay(
  { withSystem, ids, now }: Services,
  seller_id: string,
  replay_id: string,
  signal: AbortSignal,
): Promise<void> {
  for (let done = false; !done; ) {
    signal.throwIfAborted();
    done = await withSystem('webhooks', 'write', async (db) => {
      const at = { db, seller_id };
      const row = await replays.find(at, { replay_id });
      if (row?.status !== 'running') return true;
      const endpoint = await findEndpoint(at, row.endpoint_id, 'for update');
      if (endpoint?.status !== 'active') {
        await failReplay(at, replay_id);
        return true;
      }
      const made = Array.from({ length: BATCH }, () => ids.next('dlv_'));
      return queueReplay(at, row, made, new Date(now()).toISOString());
    });
  }
}
