import type { SellerCtx } from '../../../kernel/context.ts';
import { coreErrors, fail, invalid } from '../../../kernel/errors.ts';
import { idPattern } from '../../../kernel/ids.ts';
import { parseInstant } from '../../../kernel/instant.ts';
import type { Services } from '../../../platform/services.ts';
import { errors } from '../errors.ts';
import type { EndpointRow } from '../store/endpoint-row.ts';
import { lockWithDeliveries } from '../store/endpoints.ts';
import {
  countUnsent,
  countWanted,
  failReplay,
  findReplay,
  insertReplay,
  queueReplay,
  type ReplayRow,
  type Unsent,
} from '../store/replays.ts';

export const REPLAY_JOB = 'webhooks.replay';
const REPLAY_ID = new RegExp(idPattern('rpl_'));
/** Events per statement: some ten milliseconds. */
const BATCH = 1_000;

export interface ReplayWish {
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
function rangeOf({ from, to }: ReplayWish, now: number): Range {
  const instant = (name: 'from' | 'to', text: string): number => {
    const ms = parseInstant(text);
    if (ms === undefined)
      throw invalid([
        { loc: ['body', name], msg: 'Must be an RFC 3339 instant.', type: 'format_invalid', input: text },
      ]);
    return ms;
  };
  const start = instant('from', from);
  // What happens at this very instant is meant as well.
  const end = to === undefined ? now + 1 : instant('to', to);
  if (end <= start)
    throw invalid([{ loc: ['body', 'to'], msg: 'Must be after "from".', type: 'greater_than', input: to }]);
  return { from_at: new Date(start).toISOString(), to_at: new Date(end).toISOString() };
}

/**
 * Begins to deliver the events of a range again. What comes after the last event that the endpoint was told of is
 * delivered anyway and is no part of it.
 *
 * @throws ApiError 409 `endpoint_not_active`, 422
 */
export async function startReplay(
  ctx: SellerCtx & { readonly services: Services },
  endpoint: EndpointRow,
  wish: ReplayWish,
): Promise<ReplayRow> {
  const { seller_id, endpoint_id, status } = endpoint;
  if (status !== 'active') throw fail(errors.endpoint_not_active, { facts: { status } });
  const now = ctx.now();
  const wanted = {
    seller_id,
    endpoint_id,
    replay_id: ctx.ids.next('rpl_'),
    ...rangeOf(wish, now),
    types: wish.types ?? endpoint.event_types,
    only_failed: wish.only_failed ?? false,
    through: endpoint.fanned_through,
    created_at: new Date(now).toISOString(),
  };
  const total = await countWanted(ctx.db, wanted);
  const row: ReplayRow = { ...wanted, total, queued_through: 0n, queued: 0, status: 'running' };
  await insertReplay(ctx.db, row);
  await ctx.services.jobs.add(ctx.db, {
    kind: REPLAY_JOB,
    sellerId: seller_id,
    payload: { replay_id: row.replay_id },
    dueAt: now,
  });
  return row;
}

/** @throws ApiError 404 `not_found` */
export async function readReplay(
  ctx: SellerCtx,
  endpointId: string,
  replayId: string,
): Promise<{ readonly row: ReplayRow; readonly unsent: Unsent }> {
  const { seller_id } = ctx.seller;
  const row = REPLAY_ID.test(replayId) ? await findReplay(ctx.db, seller_id, replayId) : undefined;
  if (row === undefined || row.endpoint_id !== endpointId) throw fail(coreErrors.not_found);
  return { row, unsent: await countUnsent(ctx.db, row) };
}

/** Puts all events of a replay into the queue, a batch at a time; safe to begin again where it was cut. */
export async function runReplay(
  { withSystem, ids, now }: Services,
  sellerId: string,
  replayId: string,
  signal: AbortSignal,
): Promise<void> {
  for (let done = false; !done; ) {
    signal.throwIfAborted();
    done = await withSystem('webhooks', 'write', async (db) => {
      const row = await findReplay(db, sellerId, replayId);
      if (row?.status !== 'running') return true;
      const endpoint = await lockWithDeliveries(db, sellerId, row.endpoint_id);
      if (endpoint?.status !== 'active') {
        await failReplay(db, sellerId, replayId);
        return true;
      }
      const made = Array.from({ length: BATCH }, () => ids.next('dlv_'));
      return queueReplay(db, row, made, now());
    });
  }
}
