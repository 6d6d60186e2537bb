/** Runs an action on one order for a request: preconditions, dry runs, refusals and the answer. */
import type { Acting, Db, SellerCtx } from '../../../kernel/context.ts';
import { type ApiError, coreErrors, fail } from '../../../kernel/errors.ts';
import type { RouteResult } from '../../../kernel/route.ts';
import { rehearse } from '../../../platform/db/savepoint.ts';
import { checkIfMatch, shownTag } from '../../../platform/http/etag.ts';
import { availableUnits } from '../../products/index.ts';
import { type Changed, changeOrder } from '../actions/change-order.ts';
import { allowedActions, allowedInstead } from '../domain/allowed.ts';
import { missingOf } from '../domain/derive-statuses.ts';
import type { Order } from '../domain/order.ts';
import { Refusal } from '../domain/refusal.ts';
import type { Work } from '../domain/work.ts';
import { errors, toApiError } from '../errors.ts';
import { orderToWire } from '../schemas/to-wire.ts';
import { loadOrder, type StockedOrder } from '../store/load-orders.ts';

/** The entity tag of an order, for `If-Match`. */
const orderTag = ({ head }: Order): string => String(head.version);

/** Available units of the products of which the order holds fewer units than it needs. */
function stockFor(ctx: SellerCtx, { lines }: Order): Promise<ReadonlyMap<string, number>> {
  const short = lines.filter((line) => missingOf(line) > 0);
  const products = [...new Set(short.flatMap(({ product_id }) => product_id ?? []))];
  return availableUnits(ctx.db, ctx.seller_id, products);
}

/** An order as the API shows it, with the actions that are allowed at an instant. */
export const viewOf = ({ order, available }: StockedOrder, now: number) => ({
  ...orderToWire(order),
  allowed_actions: allowedActions({ order, now, available }),
});

/** The view of an order that this transaction has read or written. */
export async function currentView(ctx: SellerCtx, order: Order) {
  return viewOf({ order, available: await stockFor(ctx, order) }, ctx.now());
}

/** The error for a refusal. When the state refuses, `allowed` lists what can be done now. */
export async function refusalToError(ctx: SellerCtx, orderId: string, refusal: Refusal): Promise<ApiError> {
  const { about } = refusal;
  if (about === undefined) return toApiError(refusal);
  // The order is read again, because the rule has changed a copy.
  const order = await loadOrder(ctx, orderId);
  if (order === undefined) return toApiError(refusal, []);
  const situation = { order, now: ctx.now(), available: await stockFor(ctx, order) };
  return toApiError(refusal, allowedInstead(situation, about));
}

export interface ActionRequest {
  readonly params: { readonly order_id: string };
  readonly query: { readonly dry_run?: boolean | undefined };
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** The version in the body. */
  readonly version?: number | undefined;
}

interface OrderRule<T> {
  /** Entity tag that `If-Match` is compared with; default: the order's. */
  readonly tag?: (order: Order) => string;
  readonly rule: (work: Work, ctx: Acting) => T | Promise<T>;
}

interface Action<T, Body> extends OrderRule<T> {
  readonly answer: (changed: Changed<T>) => RouteResult<Body> | Promise<RouteResult<Body>>;
}

/** @throws ApiError 409 `version_conflict` */
export function requireVersion({ head }: Order, version: number | undefined): void {
  if (version !== undefined && version !== head.version)
    throw fail(errors.version_conflict, { facts: { version, current_version: head.version } });
}

/**
 * Changes an order of the seller for a request.
 *
 * @throws ApiError 404, 409 and 422 of the rule, 412
 */
export async function changeByRequest<T>(
  ctx: SellerCtx,
  { params, headers, version }: Omit<ActionRequest, 'query'>,
  { tag = orderTag, rule }: OrderRule<T>,
): Promise<Changed<T>> {
  try {
    const changed = await changeOrder(ctx, params.order_id, (work) => {
      checkIfMatch(headers, tag(work.order));
      requireVersion(work.order, version);
      return rule(work, ctx);
    });
    if (changed === undefined) throw fail(coreErrors.not_found);
    return changed;
  } catch (error) {
    throw error instanceof Refusal ? await refusalToError(ctx, params.order_id, error) : error;
  }
}

type Trial = ActionRequest['query'];

/** Runs a change; a dry run is rolled back. */
export const runOrRehearse = <T>(db: Db, { dry_run }: Trial, run: () => Promise<T>): Promise<T> =>
  dry_run === true ? rehearse(db, run) : run();

/** Adds the header `Dry-Run` to the answer of a dry run. */
export const markDryRun = <Body>({ dry_run }: Trial, result: RouteResult<Body>): RouteResult<Body> =>
  dry_run === true ? { ...result, headers: { ...result.headers, 'dry-run': 'true' } } : result;

/**
 * Runs an action on an order of the seller.
 *
 * @throws ApiError 404, 409 and 422 of the rule, 412
 */
export async function runAction<T, Body>(
  ctx: SellerCtx,
  request: ActionRequest,
  { answer, ...rule }: Action<T, Body>,
): Promise<RouteResult<Body>> {
  const { query } = request;
  const run = async () => answer(await changeByRequest(ctx, request, rule));
  return markDryRun(query, await runOrRehearse(ctx.db, query, run));
}

/**
 * The answer with an order. The entity tag is made from the whole answer, because parts of it change without a new
 * version: time and stock change the allowed actions, and late updates of the carrier add scans.
 */
export function orderAnswer(found: StockedOrder, now: number) {
  const body = viewOf(found, now);
  return { body, etag: shownTag(orderTag(found.order), body) };
}

/** Answers an action with its order. */
export const answerWithOrder = async (ctx: SellerCtx, { order }: Changed<unknown>) =>
  orderAnswer({ order, available: await stockFor(ctx, order) }, ctx.now());

/** The order's state, for the answer with one of its parts. */
export const orderStateOf = ({ head }: Order) => ({ order_status: head.status, order_version: head.version });
