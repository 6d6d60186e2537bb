/**
 * Buys a label over the network. The first transaction writes the purchase; then the service calls the
 * carrier, outside any transaction; the second transaction records the answer. If the process dies before that, a retry
 * or the worker continues the same purchase under the same reference, so the carrier makes only one label.
 * Source: docs/adr/0008.
 */

import { isDeepStrictEqual } from 'node:util';
import type { Acting } from '../../../kernel/context.ts';
import { ApiError, fail } from '../../../kernel/errors.ts';
import { isoOf } from '../../../kernel/instant.ts';
import { systemNow } from '../../../platform/db/clock.ts';
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
  setPurchaseStatus,
} from '../store/label-purchases.ts';
import { keepPackageNumbers } from '../store/package-numbers.ts';
import { type Changed, changeOrder } from './change-order.ts';
import type { Carriers } from './make-label.ts';

/** Finishes purchases whose request has ended. */
export const PURCHASE_JOB = 'orders.label_purchase';
/** After a carrier's failure, the time in which the seller may retry; then the purchase is dropped. */
export const GIVE_UP_AFTER_MS = 3_600_000;
/** Time to record the carrier's answer. */
const RECORD_MS = 5_000;
const RETRY_AFTER_SECONDS = '2';

export const leaseMs = ({ config }: Carriers): number => longestCallMs(config) + RECORD_MS;
export const isLeased = ({ lease_until }: LabelPurchase): boolean =>
  lease_until !== null && Date.parse(lease_until) > systemNow();

const inProgress = (): ApiError =>
  fail(errors.label_in_progress, { headers: { 'retry-after': RETRY_AFTER_SECONDS } });

/** Plans a run of the worker for a purchase. */
const planPurchaseJob = (ctx: Acting, labelId: string, why: string, inMs: number): Promise<void> =>
  ctx.jobs.add({
    kind: PURCHASE_JOB,
    payload: { label_id: labelId },
    uniqueKey: `${ctx.seller_id} ${labelId} ${why}`,
    dueAt: ctx.now() + inMs,
  });

/** Leases a purchase for this process; the lease of another process must have ended. */
export const leasePurchase = (ctx: Acting, carriers: Carriers, labelId: string): Promise<void> =>
  setPurchaseStatus(ctx, labelId, 'open', isoOf(systemNow() + leaseMs(carriers)));

/** Drops a purchase. The worker voids the label if the carrier made one. */
export async function dropPurchase(ctx: Acting, { label_id }: LabelPurchase): Promise<void> {
  await setPurchaseStatus(ctx, label_id, 'dropped');
  await planPurchaseJob(ctx, label_id, 'dropped', 0);
}

const releaseQuote = (ctx: Acting, { quote_id }: WantedLabel): Promise<unknown> =>
  quote_id === null ? Promise.resolve() : giveBackQuote(ctx, quote_id);

/**
 * Finds the unfinished purchase of a parcel's label and releases its quote, so that a new purchase may use
 * it.
 *
 * @returns the unfinished purchase, whose outcome is unknown
 * @throws ApiError 409 `label_in_progress`
 */
export async function releasePendingPurchase(
  ctx: Acting,
  shipmentId: string,
): Promise<LabelPurchase | undefined> {
  const pending = await pendingPurchase(ctx, shipmentId);
  if (pending === undefined) return undefined;
  if (isLeased(pending)) throw inProgress();
  // A failed purchase has already released its quote, and another label may have used the quote since.
  if (pending.status === 'open') await releaseQuote(ctx, pending);
  return pending;
}

/** The fields that two purchases must share to be the same purchase. */
const contentOf = ({ carrier, service, quote_id, option_id, price, content }: WantedLabel) => ({
  carrier,
  service,
  quote_id,
  option_id,
  price,
  content,
});

/**
 * Writes the purchase. A pending purchase of the same label continues; a different one is dropped.
 *
 * @param pending of {@link releasePendingPurchase}
 */
export async function openPurchase(
  ctx: Acting,
  carriers: Carriers,
  wanted: WantedLabel,
  pending: LabelPurchase | undefined,
): Promise<WantedLabel> {
  if (pending !== undefined && isDeepStrictEqual(contentOf(pending), contentOf(wanted))) {
    await leasePurchase(ctx, carriers, pending.label_id);
    return pending;
  }
  if (pending !== undefined) await dropPurchase(ctx, pending);
  const ms = leaseMs(carriers);
  await insertPurchase(ctx, wanted, isoOf(systemNow() + ms));
  await planPurchaseJob(ctx, wanted.label_id, 'opened', ms);
  return wanted;
}

/** @throws Refusal when the parcel can have no label any more */
export async function attach(
  ctx: Acting,
  work: Work,
  wanted: WantedLabel,
  made: MadeLabel,
): Promise<Shipment> {
  const label = labelFrom(wanted, made, work.at);
  const shipment = attachLabel(work, label, trackingUrl(label.carrier, label.tracking_number));
  await keepPackageNumbers(ctx, label);
  return shipment;
}

/**
 * Records the label that the carrier made.
 *
 * @returns the refusal when the order has changed and can have no label; the label is then voided
 * @throws ApiError 409 `label_in_progress` when another process works on the purchase
 */
export async function recordLabel(
  ctx: Acting,
  wanted: WantedLabel,
  made: MadeLabel,
): Promise<Changed<Shipment> | Refusal> {
  const { label_id, order_id, shipment_id } = wanted;
  const held = () => findPurchase(ctx, label_id);
  const rule = async (work: Work): Promise<Shipment> => {
    const status = (await held())?.status;
    // Another process continued the purchase after the lease had ended, and was faster.
    if (work.order.labels.some((label) => label.label_id === label_id))
      return shipmentOf(work.order, shipment_id);
    if (status !== 'open') throw inProgress();
    return attach(ctx, work, wanted, made);
  };
  try {
    const changed = await changeOrder(ctx, order_id, rule);
    if (changed === undefined) throw new Refusal('not_found', 'No such order exists in your account.');
    await setPurchaseStatus(ctx, label_id, 'ended');
    return changed;
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const purchase = await held();
    if (purchase?.status === 'open') await dropPurchase(ctx, purchase);
    return error;
  }
}

/** Whether the carrier has finally refused to make the label. */
export const isRefused = (error: unknown): boolean =>
  error instanceof ApiError && error.code === shippingErrors.carrier_refused.code;

/** Records that the carrier gave no label: the order stays as it was, and the quote is free again. */
export async function recordFailure(ctx: Acting, wanted: WantedLabel, error: unknown): Promise<void> {
  const held = await findPurchase(ctx, wanted.label_id);
  if (held?.status !== 'open') return;
  const status = isRefused(error) ? 'ended' : 'failed';
  await setPurchaseStatus(ctx, wanted.label_id, status);
  await releaseQuote(ctx, wanted);
}
