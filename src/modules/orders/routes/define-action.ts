/** Makes routes of actions on one order: access, query, dry run and errors are the same for all of them. */
import type { Static, TSchema } from 'typebox';
import type { Acting, SellerCtx } from '../../../kernel/context.ts';
import type { ErrorDef } from '../../../kernel/errors.ts';
import type { AnyRoute, BodyOf, OkResponse, RouteDef, RouteResult } from '../../../kernel/route.ts';
import { defineRoute } from '../../../platform/http/define-route.ts';
import type { Changed } from '../actions/change-order.ts';
import type { Order } from '../domain/order.ts';
import type { Work } from '../domain/work.ts';
import { ofAction } from '../errors.ts';
import { actionQuery } from '../schemas/parts.ts';
import { runAction } from './run-action.ts';

type OfOrder = { readonly order_id: string };
type OfVersion = { readonly version?: number };

type Answers = readonly [OkResponse, ...OkResponse[]];

interface ActionDef<P extends TSchema, B extends TSchema, T, O extends Answers>
  extends Pick<RouteDef, 'id' | 'path' | 'summary' | 'description' | 'cache'> {
  /** Default: POST. */
  readonly method?: 'POST' | 'PATCH';
  /** Default: optional. */
  readonly idempotency?: 'required' | 'none';
  readonly params: P;
  readonly body: B;
  readonly example: unknown;
  readonly ok: O;
  /** In addition to those of every action. */
  readonly errors?: readonly ErrorDef[];
  /** Entity tag that `If-Match` is compared with; default: the order's. */
  readonly tag?: (params: Static<P>) => (order: Order) => string;
  readonly rule: (
    work: Work,
    asked: { readonly params: Static<P>; readonly body: Static<B> },
    ctx: Acting,
  ) => T | Promise<T>;
  readonly answer: (
    ctx: SellerCtx,
    changed: Changed<T>,
  ) => RouteResult<BodyOf<O>> | Promise<RouteResult<BodyOf<O>>>;
}

/** Declares an action with dry runs and the check of the version in the body. */
export function defineAction<P extends TSchema, B extends TSchema, T, const O extends Answers>(
  action: ActionDef<P, B, T, O>,
): AnyRoute {
  const { method = 'POST', idempotency = 'optional', body: schema, example, errors = [], ...more } = action;
  const { tag, rule, answer, ...route } = more;
  return defineRoute({
    ...route,
    method,
    access: { auth: 'seller', permission: 'orders:write', rate: 'write', idempotency },
    query: actionQuery,
    rehearsable: true,
    body: { kind: 'json', schema, example },
    errors: [...ofAction, ...errors],
    handler: (ctx, { params, query, headers, body }) =>
      runAction(
        ctx,
        { params: params as OfOrder, query, headers, version: (body as OfVersion).version },
        {
          ...(tag === undefined ? {} : { tag: tag(params) }),
          rule: (work, acting) => rule(work, { params, body }, acting),
          answer: (changed) => answer(ctx, changed),
        },
      ),
  });
}
