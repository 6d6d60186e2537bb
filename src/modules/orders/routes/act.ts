/** Actions on one order over HTTP: who may still do them, what they answer, and the rehearsal of a dry run. */
import type { CursorDb, Db, SellerCtx } from '../../../kernel/context.ts';
import { type ApiError, coreErrors, fail } from '../../../kernel/errors.ts';
import type { RouteResult } from '../../../kernel/route.ts';
import { rehearse } from '../../../platform/db/savepoint.ts';
import type { WithServices } from '../../../platform/http/define-route.ts';
import { checkIfMatch, shownTag } from '../../../platform/http/etag.ts';
import { appendEvents } from '../../../platform/outbox/append.ts';
import { availableUnits } from '../../products/index.ts';
import type { ChangeContext } from '../actions/change-context.ts';
import { type Changed, changeOrder } from '../actions/change-order.ts';
import { allowedActions, allowedInstead } from '../domain/allowed.ts';
import type { Order } from '../domain/order.ts';
import { Refusal } from '../domain/refusal.ts';
import { missingOf } from '../domain/settle.ts';
import type { Work } from '../domain/work.ts';
import { errors, toApiError } from '../errors.ts';
import { orderToWire } from '../schemas/to-wire.ts';
import { loadOrder, type StockedOrder } from '../store/load-orders.ts';

/** Of a request that changes orders. */
export type OrderCtx = SellerCtx & WithServices;

/** What a member's request changes orders with. */
export function memberContext(ctx: OrderCtx): ChangeContext {
  return {
    db: ctx.db,
    sellerId: ctx.seller.seller_id,
    now: ctx.now,
    ids: ctx.ids,
    author: { actor: { kind: 'member', id: ctx.seller.member_id }, ...ctx.correlation },
    config: ctx.config,
    emit: (...events) => ctx.emit(...events),
  };
}

/** The context of a request whose route opens its own transactions, inside one of them. */
export const within = <C extends SellerCtx>(ctx: C, db: CursorDb): C => ({
  ...ctx,
  db,
  emit: (...events) => {
    const { ids, correlation } = ctx;
    return appendEvents(db, { sellerId: ctx.seller.seller_id, ids, now: ctx.now(), correlation }, events);
  },
});

/** What `If-Match` is about. */
const orderTag = ({ head }: Order): string => String(head.version);

/** Units that an order could still reserve, of the products of which it holds fewer than it needs. */
function stockFor(ctx: SellerCtx, { lines }: Order): Promise<ReadonlyMap<string, number>> {
  const short = lines.filter((line) => missingOf(line) > 0);
  const products = [...new Set(short.flatMap(({ product_id }) => product_id ?? []))];
  return availableUnits(ctx.db, ctx.seller.seller_id, products);
}

/** An order as the API shows it, with what the seller may do with it at an instant. */
export const viewOf = ({ order, available }: StockedOrder, now: number) => ({
  ...orderToWire(order),
  allowed_actions: allowedActions({ order, now, available }),
});

/** The view of an order that this transaction has read or written. */
export async function currentView(ctx: SellerCtx, order: Order) {
  return viewOf({ order, available: await stockFor(ctx, order) }, ctx.now());
}

/** The answer to a refusal; one of the state says what could be done instead, now. */
export async function answerOf(ctx: SellerCtx, orderId: string, refusal: Refusal): Promise<ApiError> {
  const { about } = refusal;
  if (about === undefined) return toApiError(refusal);
  // Read again: what refused worked on a copy.
  const order = await loadOrder(ctx.db, ctx.seller.seller_id, orderId);
  if (order === undefined) return toApiError(refusal, []);
  const situation = { order, now: ctx.now(), available: await stockFor(ctx, order) };
  return toApiError(refusal, allowedInstead(situation, about));
}

export interface ActionRequest {
  readonly params: { readonly order_id: string };
  readonly query: { readonly dry_run?: boolean | undefined };
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** The version that the body names. */
  readonly version?: number | undefined;
}

export interface OrderRule<T> {
  /** Entity tag that `If-Match` is held against; default: the order's. */
  readonly tag?: (order: Order) => string;
  readonly rule: (work: Work, change: ChangeContext) => T | Promise<T>;
}

export interface Action<T> extends OrderRule<T> {
  readonly answer: (changed: Changed<T>) => RouteResult | Promise<RouteResult>;
}

/** @throws ApiError 409 `version_conflict` */
export function requireVersion({ head }: Order, version: number | undefined): void {
  if (version !== undefined && version !== head.version)
    throw fail(errors.version_conflict, { facts: { version, current_version: head.version } });
}

/**
 * Changes an order of the seller as a request asks for it.
 *
 * @throws ApiError 404, 409 and 422 of the rule, 412
 */
export async function changeAsAsked<T>(
  ctx: OrderCtx,
  { params, headers, version }: Omit<ActionRequest, 'query'>,
  { tag = orderTag, rule }: OrderRule<T>,
): Promise<Changed<T>> {
  const change = memberContext(ctx);
  try {
    const changed = await changeOrder(change, params.order_id, (work) => {
      checkIfMatch(headers, tag(work.order));
      requireVersion(work.order, version);
      return rule(work, change);
    });
    if (changed === undefined) throw fail(coreErrors.not_found);
    return changed;
  } catch (error) {
    throw error instanceof Refusal ? await answerOf(ctx, params.order_id, error) : error;
  }
}

type Trial = ActionRequest['query'];

/** Does something, or tries it: then all that it wrote is undone. */
export const doOrTry = <T>(db: Db, { dry_run }: Trial, run: () => Promise<T>): Promise<T> =>
  dry_run === true ? rehearse(db, run) : run();

/** An answer that says so when it was only tried. */
export const marked = ({ dry_run }: Trial, result: RouteResult): RouteResult =>
  dry_run === true ? { ...result, headers: { ...result.headers, 'dry-run': 'true' } } : result;

/**
 * Does something with an order of the seller.
 *
 * @throws ApiError 404, 409 and 422 of the rule, 412
 */
export async function act<T>(
  ctx: OrderCtx,
  request: ActionRequest,
  { answer, ...rule }: Action<T>,
): Promise<RouteResult> {
  const { query } = request;
  const run = async (): Promise<RouteResult> => answer(await changeAsAsked(ctx, request, rule));
  return marked(query, await doOrTry(ctx.db, query, run));
}

/**
 * Answers with an order. The tag covers the whole answer: without a new version, the time and the stock change what
 * the seller may do, and late news of the carrier add scans.
 */
export function answerWith(found: StockedOrder, now: number) {
  const body = viewOf(found, now);
  return { body, etag: shownTag(orderTag(found.order), body) };
}

/** Answers an action with its order. */
export const withOrder = async (ctx: SellerCtx, { order }: Changed<unknown>): Promise<RouteResult> =>
  answerWith({ order, available: await stockFor(ctx, order) }, ctx.now());

/** What stands beside a part of an order. */
export const beside = ({ head }: Order) => ({ order_status: head.status, order_version: head.version });
