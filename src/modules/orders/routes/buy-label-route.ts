/**
 * The requests for labels. The built-in carrier makes a label in one transaction. Other carriers are called between two
 * transactions.
 */
import type { Acting, SellerCtx } from '../../../kernel/context.ts';
import { ApiError } from '../../../kernel/errors.ts';
import type { RequestKey, RouteResult } from '../../../kernel/route.ts';
import { keyInProgress } from '../../../platform/keys/idempotency-key.ts';
import type { Services } from '../../../platform/services.ts';
import { OWN_CARRIER } from '../../shipping/index.ts';
import {
  attach,
  dropPurchase,
  isLeased,
  leasePurchase,
  openPurchase,
  recordFailure,
  recordLabel,
  releasePendingPurchase,
} from '../actions/buy-label.ts';
import { connected, type LabelChoice, makeLabel, prepareLabel, previewLabel } from '../actions/make-label.ts';
import { type MadeLabel, requireUnlabelled, type WantedLabel } from '../domain/labels.ts';
import type { Shipment } from '../domain/order.ts';
import { Refusal } from '../domain/refusal.ts';
import { shipmentOf } from '../domain/shipments.ts';
import type { Work } from '../domain/work.ts';
import { findPurchase } from '../store/label-purchases.ts';
import { loadOrder } from '../store/load-orders.ts';
import { answerWithShipment, shipmentTag } from './answer-with-shipment.ts';
import {
  type ActionRequest,
  changeByRequest,
  markDryRun,
  refusalToError,
  runOrRehearse,
} from './run-action.ts';

interface LabelRequest extends ActionRequest {
  readonly params: { readonly order_id: string; readonly shipment_id: string };
  readonly body: LabelChoice;
  readonly key: RequestKey;
}

type Ctx = SellerCtx & { readonly services: Services };

/** A parcel with its label, or a label that the carrier must still make. */
type Step = { readonly shipment: Shipment } | { readonly wanted: WantedLabel };
type Labelled = RouteResult<ReturnType<typeof answerWithShipment>['body']>;
type Started = { readonly answer: Labelled } | { readonly wanted: WantedLabel };

const carriersOf = ({ services, log }: Ctx) => ({ config: services.config, log });

/** The rule of the first transaction. */
const ruleOf = (ctx: Ctx, { params, body }: LabelRequest) => ({
  tag: shipmentTag(params.shipment_id),
  async rule(work: Work, acting: Acting): Promise<Step> {
    const shipment = requireUnlabelled(work.order, params.shipment_id);
    const pending = await releasePendingPurchase(acting, params.shipment_id);
    const wanted = await prepareLabel(acting, work.order, shipment, body);
    const carriers = carriersOf(ctx);
    const adapter = connected(carriers, wanted.carrier);
    if (adapter.carrier !== OWN_CARRIER)
      return { wanted: await openPurchase(acting, carriers, wanted, pending) };
    if (pending !== undefined) await dropPurchase(acting, pending);
    return { shipment: await attach(acting, work, wanted, await makeLabel(adapter, wanted)) };
  },
});

/** The state of an earlier request with the same key, whose process ended before it answered. */
async function resume(ctx: Ctx, reference: string): Promise<Started | undefined> {
  const purchase = await findPurchase(ctx, reference);
  const found = await loadOrder(ctx, purchase?.order_id ?? '');
  if (purchase === undefined || found === undefined) return undefined;
  if (found.labels.some(({ label_id }) => label_id === reference)) {
    const result = shipmentOf(found, purchase.shipment_id);
    return { answer: answerWithShipment(ctx, { order: found, result }) };
  }
  if (purchase.status !== 'open') return undefined;
  if (isLeased(purchase)) throw keyInProgress();
  await leasePurchase(ctx, carriersOf(ctx), reference);
  return { wanted: purchase };
}

/** The first transaction. */
async function start(ctx: Ctx, request: LabelRequest): Promise<Started> {
  const { key, query } = request;
  const earlier = await key.earlier(ctx.db);
  if (earlier.answer !== undefined) return { answer: earlier.answer };
  const resumed = earlier.reference === null ? undefined : await resume(ctx, earlier.reference);
  if (resumed !== undefined)
    return 'answer' in resumed ? { answer: await key.keep(ctx.db, resumed.answer) } : resumed;
  const asked = () => changeByRequest(ctx, request, ruleOf(ctx, request));
  const { order, result } = await runOrRehearse(ctx.db, query, asked);
  if ('shipment' in result) {
    const answer = markDryRun(query, answerWithShipment(ctx, { order, result: result.shipment }));
    return { answer: await key.keep(ctx.db, answer) };
  }
  if (query.dry_run !== true) await key.refer(ctx.db, result.wanted.label_id);
  return result;
}

/** The second transaction of a dry run: it attaches the label that would be made, and rolls back. */
async function rehearsal(ctx: Ctx, request: LabelRequest, wanted: WantedLabel): Promise<Labelled> {
  const { params, query, key } = request;
  const made = await previewLabel(connected(carriersOf(ctx), wanted.carrier), wanted);
  return ctx.transaction('write', async (db) => {
    const rule = (work: Work, acting: Acting) => attach(acting, work, wanted, made);
    const asked = { tag: shipmentTag(params.shipment_id), rule };
    const changed = await runOrRehearse(db, query, () => changeByRequest(ctx.in(db), request, asked));
    return key.keep(db, markDryRun(query, answerWithShipment(ctx, changed)));
  });
}

/** Calls the carrier. On failure the purchase is marked as failed before the client gets the error. */
async function askCarrier(ctx: Ctx, { key }: LabelRequest, wanted: WantedLabel): Promise<MadeLabel> {
  try {
    return await makeLabel(connected(carriersOf(ctx), wanted.carrier), wanted);
  } catch (error) {
    await ctx.services.withSeller(ctx.seller_id, 'write', async (db) => {
      await recordFailure(ctx.in(db), wanted, error);
      await key.free(db);
    });
    throw error;
  }
}

/** The second transaction. It checks no permissions again, because the carrier has made the label. */
async function record(
  ctx: Ctx,
  { params, key }: LabelRequest,
  wanted: WantedLabel,
  made: MadeLabel,
): Promise<Labelled> {
  const outcome = await ctx.services.withSeller(ctx.seller_id, 'write', async (db) => {
    const inside = ctx.in(db);
    const recorded = await recordLabel(inside, wanted, made);
    if (!(recorded instanceof Refusal)) return key.keep(db, answerWithShipment(ctx, recorded));
    await key.free(db);
    return refusalToError(inside, params.order_id, recorded);
  });
  if (outcome instanceof ApiError) throw outcome;
  return outcome;
}

/**
 * Makes a label, or buys one: see `actions/buy-label.ts`.
 *
 * @throws ApiError 404, 409, 412, 422, 503 `carrier_unavailable`
 */
export async function buyLabel(ctx: Ctx, request: LabelRequest): Promise<Labelled> {
  const started = await ctx.transaction('write', (db) => start(ctx.in(db), request));
  if ('answer' in started) return started.answer;
  if (request.query.dry_run === true) return rehearsal(ctx, request, started.wanted);
  return record(ctx, request, started.wanted, await askCarrier(ctx, request, started.wanted));
}
