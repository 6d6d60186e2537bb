/**
 * Buying a label of a carrier that is called. A purchase is written and committed first; then the carrier is asked,
 * outside any transaction; then its answer is recorded. Whatever ends in between, a retry or the worker goes on
 * with the same purchase under the same name, and the carrier makes one label of it.
 */
import { isDeepStrictEqual } from 'node:util';
import { ApiError, fail } from '../../../kernel/errors.ts';
import { systemNow } from '../../../platform/db/clock.ts';
import { insertJob } from '../../../platform/jobs/job-statements.ts';
import { giveBackQuote, longestCallMs, shippingErrors, trackingUrl } from '../../shipping/index.ts';
import { attachLabel, labelFrom, type MadeLabel, type WantedLabel } from '../domain/labels.ts';
import type { Shipment } from '../domain/order.ts';
import { Refusal } from '../domain/refusal.ts';
import { shipmentOf } from '../domain/shipments.ts';
import type { Work } from '../domain/work.ts';
import { errors } from '../errors.ts';
import {
  findPurchase,
  insertPurchase,
  type LabelPurchase,
  pendingPurchase,
  settlePurchase,
} from '../store/label-purchases.ts';
import { keepPackageNumbers } from '../store/package-numbers.ts';
import type { ChangeContext } from './change-context.ts';
import { type Changed, changeOrder } from './change-order.ts';
import type { Carriers } from './make-label.ts';

/** Carries a purchase to its end that nobody carries there. */
export const PURCHASE_JOB = 'orders.label_purchase';
/** What a carrier left unanswered, and nobody asked for again, is not wanted any more. */
export const PATIENCE_MS = 3_600_000;
/** For recording what the carrier said. */
const RECORD_MS = 5_000;
const RETRY_AFTER_SECONDS = '2';

const iso = (ms: number): string => new Date(ms).toISOString();
export const leaseMs = ({ config }: Carriers): number => longestCallMs(config) + RECORD_MS;
export const isLeased = ({ lease_until }: LabelPurchase): boolean =>
  lease_until !== null && Date.parse(lease_until) > systemNow();

const inProgress = (): ApiError =>
  fail(errors.label_in_progress, { headers: { 'retry-after': RETRY_AFTER_SECONDS } });

async function carryOn(
  { db, sellerId, ids, now }: ChangeContext,
  labelId: string,
  why: string,
  inMs: number,
) {
  const job = {
    kind: PURCHASE_JOB,
    sellerId,
    payload: { label_id: labelId },
    uniqueKey: `${sellerId} ${labelId} ${why}`,
    dueAt: now() + inMs,
  };
  await db.run(insertJob(ids.next('job_'), job, now()));
}

/** Takes a purchase for this process, or somebody else's turn at it when that has ended. */
export async function leasePurchase(
  { db, sellerId, now }: ChangeContext,
  carriers: Carriers,
  labelId: string,
): Promise<void> {
  const leaseUntil = iso(systemNow() + leaseMs(carriers));
  await settlePurchase(db, sellerId, labelId, 'open', { at: iso(now()), leaseUntil });
}

/** Gives a purchase up; what was bought of it is given back by the worker. */
export async function dropPurchase(ctx: ChangeContext, { label_id }: LabelPurchase): Promise<void> {
  await settlePurchase(ctx.db, ctx.sellerId, label_id, 'dropped', { at: iso(ctx.now()) });
  await carryOn(ctx, label_id, 'dropped', 0);
}

const giveBack = ({ db, sellerId }: ChangeContext, { quote_id }: WantedLabel): Promise<void> =>
  quote_id === null ? Promise.resolve() : giveBackQuote({ db, seller_id: sellerId }, quote_id);

/**
 * Makes room for a new wish: what an earlier purchase of the parcel's label had used up is there again.
 *
 * @returns that purchase, whose outcome is not known
 * @throws ApiError 409 `label_in_progress`
 */
export async function interrupt(ctx: ChangeContext, shipmentId: string): Promise<LabelPurchase | undefined> {
  const pending = await pendingPurchase(ctx.db, ctx.sellerId, shipmentId);
  if (pending === undefined) return undefined;
  if (isLeased(pending)) throw inProgress();
  // A failure has given its quote back already; by now it may be another label's.
  if (pending.status === 'open') await giveBack(ctx, pending);
  return pending;
}

/** What two wishes must have in common to be one. */
const meant = ({ carrier, service, quote_id, option_id, price, content }: WantedLabel) => ({
  carrier,
  service,
  quote_id,
  option_id,
  price,
  content,
});

/**
 * Writes what is to be bought. The same wish as before is the same purchase; another one takes its place.
 *
 * @param pending of {@link interrupt}
 */
export async function openPurchase(
  ctx: ChangeContext,
  carriers: Carriers,
  wanted: WantedLabel,
  pending: LabelPurchase | undefined,
): Promise<WantedLabel> {
  if (pending !== undefined && isDeepStrictEqual(meant(pending), meant(wanted))) {
    await leasePurchase(ctx, carriers, pending.label_id);
    return pending;
  }
  if (pending !== undefined) await dropPurchase(ctx, pending);
  const ms = leaseMs(carriers);
  const times = { at: iso(ctx.now()), leaseUntil: iso(systemNow() + ms) };
  await insertPurchase(ctx.db, ctx.sellerId, wanted, ctx.author, times);
  await carryOn(ctx, wanted.label_id, 'opened', ms);
  return wanted;
}

/** @throws Refusal of a parcel that takes no label any more */
export async function attach(
  ctx: ChangeContext,
  work: Work,
  wanted: WantedLabel,
  made: MadeLabel,
): Promise<Shipment> {
  const label = labelFrom(wanted, made, work.at);
  const shipment = attachLabel(work, label, trackingUrl(label.carrier, label.tracking_number));
  await keepPackageNumbers(ctx.db, ctx.sellerId, label);
  return shipment;
}

/**
 * Records what the carrier made.
 *
 * @returns the refusal of an order that has moved on meanwhile; the label is then given back
 * @throws ApiError 409 `label_in_progress` when the purchase is in other hands by now
 */
export async function recordLabel(
  ctx: ChangeContext,
  wanted: WantedLabel,
  made: MadeLabel,
): Promise<Changed<Shipment> | Refusal> {
  const { label_id, order_id, shipment_id } = wanted;
  const held = () => findPurchase(ctx.db, ctx.sellerId, label_id);
  const rule = async (work: Work): Promise<Shipment> => {
    const status = (await held())?.status;
    // Somebody who took it for forgotten was faster.
    if (work.order.labels.some((label) => label.label_id === label_id))
      return shipmentOf(work.order, shipment_id);
    if (status !== 'open') throw inProgress();
    return attach(ctx, work, wanted, made);
  };
  try {
    const changed = await changeOrder(ctx, order_id, rule);
    if (changed === undefined) throw new Refusal('not_found', 'There is no such order.');
    await settlePurchase(ctx.db, ctx.sellerId, label_id, 'ended', { at: iso(ctx.now()) });
    return changed;
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const purchase = await held();
    if (purchase?.status === 'open') await dropPurchase(ctx, purchase);
    return error;
  }
}

/** Whether the carrier has said for good that it makes no label. */
export const isRefused = (error: unknown): boolean =>
  error instanceof ApiError && error.code === shippingErrors.carrier_refused.code;

/** Records that there is no label, as far as anybody knows: the order is as it was, and the quote can be used. */
export async function recordFailure(ctx: ChangeContext, wanted: WantedLabel, error: unknown): Promise<void> {
  const held = await findPurchase(ctx.db, ctx.sellerId, wanted.label_id);
  if (held?.status !== 'open') return;
  const status = isRefused(error) ? 'ended' : 'failed';
  await settlePurchase(ctx.db, ctx.sellerId, wanted.label_id, status, { at: iso(ctx.now()) });
  await giveBack(ctx, wanted);
}
