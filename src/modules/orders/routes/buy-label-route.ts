/** A label over HTTP: at once where it is made here; bought between two transactions where a carrier is called. */
import type { SellerCtx } from '../../../kernel/context.ts';
import { ApiError } from '../../../kernel/errors.ts';
import type { RequestKey, RouteResult } from '../../../kernel/route.ts';
import { keyInProgress } from '../../../platform/keys/idempotency-key.ts';
import type { Services } from '../../../platform/services.ts';
import { OWN_CARRIER } from '../../shipping/index.ts';
import {
  attach,
  dropPurchase,
  interrupt,
  isLeased,
  leasePurchase,
  openPurchase,
  recordFailure,
  recordLabel,
} from '../actions/buy-label.ts';
import type { ChangeContext } from '../actions/change-context.ts';
import { connected, type LabelChoice, makeLabel, rehearseLabel, wantLabel } from '../actions/make-label.ts';
import { type MadeLabel, requireUnlabelled, type WantedLabel } from '../domain/labels.ts';
import type { Shipment } from '../domain/order.ts';
import { Refusal } from '../domain/refusal.ts';
import { shipmentOf } from '../domain/shipments.ts';
import type { Work } from '../domain/work.ts';
import { findPurchase } from '../store/label-purchases.ts';
import { loadOrder } from '../store/load-orders.ts';
import {
  type ActionRequest,
  answerOf,
  changeAsAsked,
  doOrTry,
  marked,
  memberContext,
  within,
} from './act.ts';
import { shipmentTag, withShipment } from './with-shipment.ts';

export interface LabelRequest extends ActionRequest {
  readonly params: { readonly order_id: string; readonly shipment_id: string };
  readonly body: LabelChoice;
  readonly key: RequestKey;
}

type Ctx = SellerCtx & { readonly services: Services };

/** A label that is there, or one that a carrier has to be asked for. */
type Step = { readonly shipment: Shipment } | { readonly wanted: WantedLabel };
type Begun = { readonly answer: RouteResult } | { readonly wanted: WantedLabel };

const carriersOf = ({ services, log }: Ctx) => ({ config: services.config, log });

/** The rule of the first transaction. */
const ruleOf = (ctx: Ctx, { params, body }: LabelRequest) => ({
  tag: shipmentTag(params.shipment_id),
  async rule(work: Work, change: ChangeContext): Promise<Step> {
    const shipment = requireUnlabelled(work.order, params.shipment_id);
    const pending = await interrupt(change, params.shipment_id);
    const wanted = await wantLabel(change, work.order, shipment, body);
    const carriers = carriersOf(ctx);
    const adapter = connected(carriers, wanted.carrier);
    if (adapter.carrier !== OWN_CARRIER)
      return { wanted: await openPurchase(change, carriers, wanted, pending) };
    if (pending !== undefined) await dropPurchase(change, pending);
    return { shipment: await attach(change, work, wanted, await makeLabel(adapter, wanted)) };
  },
});

/** What an earlier request with the key left behind when its process ended. */
async function resume(ctx: Ctx, reference: string): Promise<Begun | undefined> {
  const sellerId = ctx.seller.seller_id;
  const purchase = await findPurchase(ctx.db, sellerId, reference);
  const found = await loadOrder(ctx.db, sellerId, purchase?.order_id ?? '');
  if (purchase === undefined || found === undefined) return undefined;
  if (found.labels.some(({ label_id }) => label_id === reference)) {
    const result = shipmentOf(found, purchase.shipment_id);
    return { answer: withShipment(ctx, { order: found, result }) };
  }
  if (purchase.status !== 'open') return undefined;
  if (isLeased(purchase)) throw keyInProgress();
  await leasePurchase(memberContext(ctx), carriersOf(ctx), reference);
  return { wanted: purchase };
}

/** The first transaction. */
async function begin(ctx: Ctx, request: LabelRequest): Promise<Begun> {
  const { key, query } = request;
  const earlier = await key.earlier(ctx.db);
  if (earlier.answer !== undefined) return { answer: earlier.answer };
  const resumed = earlier.reference === null ? undefined : await resume(ctx, earlier.reference);
  if (resumed !== undefined)
    return 'answer' in resumed ? { answer: await key.keep(ctx.db, resumed.answer) } : resumed;
  const asked = () => changeAsAsked(ctx, request, ruleOf(ctx, request));
  const { order, result } = await doOrTry(ctx.db, query, asked);
  if ('shipment' in result) {
    const answer = marked(query, withShipment(ctx, { order, result: result.shipment }));
    return { answer: await key.keep(ctx.db, answer) };
  }
  if (query.dry_run !== true) await key.refer(ctx.db, result.wanted.label_id);
  return result;
}

/** A dry run's second transaction: the label that would be made, on an order that is as it was. */
async function rehearsal(ctx: Ctx, request: LabelRequest, wanted: WantedLabel): Promise<RouteResult> {
  const { params, query, key } = request;
  const made = await rehearseLabel(connected(carriersOf(ctx), wanted.carrier), wanted);
  return ctx.transaction('write', async (db) => {
    const rule = (work: Work, change: ChangeContext) => attach(change, work, wanted, made);
    const asked = { tag: shipmentTag(params.shipment_id), rule };
    const changed = await doOrTry(db, query, () => changeAsAsked(within(ctx, db), request, asked));
    return key.keep(db, marked(query, withShipment(ctx, changed)));
  });
}

/** The carrier's answer; where there is none the purchase says so before anybody else is told. */
async function askCarrier(ctx: Ctx, { key }: LabelRequest, wanted: WantedLabel): Promise<MadeLabel> {
  try {
    return await makeLabel(connected(carriersOf(ctx), wanted.carrier), wanted);
  } catch (error) {
    await ctx.services.withSeller(ctx.seller.seller_id, 'write', async (db) => {
      await recordFailure(memberContext(within(ctx, db)), wanted, error);
      await key.free(db);
    });
    throw error;
  }
}

/** The second transaction. Whoever asked may have lost the right to ask meanwhile: the label is there all the same. */
async function record(
  ctx: Ctx,
  { params, key }: LabelRequest,
  wanted: WantedLabel,
  made: MadeLabel,
): Promise<RouteResult> {
  const outcome = await ctx.services.withSeller(ctx.seller.seller_id, 'write', async (db) => {
    const inside = within(ctx, db);
    const recorded = await recordLabel(memberContext(inside), wanted, made);
    if (!(recorded instanceof Refusal)) return key.keep(db, withShipment(ctx, recorded));
    await key.free(db);
    return answerOf(inside, params.order_id, recorded);
  });
  if (outcome instanceof ApiError) throw outcome;
  return outcome;
}

/**
 * Makes a label, or buys one: see `actions/buy-label.ts`.
 *
 * @throws ApiError 404, 409, 412, 422, 503 `carrier_unavailable`
 */
export async function buyLabel(ctx: Ctx, request: LabelRequest): Promise<RouteResult> {
  const begun = await ctx.transaction('write', (db) => begin(within(ctx, db), request));
  if ('answer' in begun) return begun.answer;
  if (request.query.dry_run === true) return rehearsal(ctx, request, begun.wanted);
  return record(ctx, request, begun.wanted, await askCarrier(ctx, request, begun.wanted));
}
