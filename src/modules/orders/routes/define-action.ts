/** Actions on one order as routes: what all of them have in common is said once. */
import type { Static, TSchema } from 'typebox';
import type { SellerCtx } from '../../../kernel/context.ts';
import type { ErrorDef } from '../../../kernel/errors.ts';
import type { AnyRoute, RouteDef, RouteResult } from '../../../kernel/route.ts';
import { looseRoute as defineRoute } from '../../../platform/http/define-route.ts';
import type { ChangeContext } from '../actions/change-context.ts';
import type { Changed } from '../actions/change-order.ts';
import type { Order } from '../domain/order.ts';
import type { Work } from '../domain/work.ts';
import { ofAction } from '../errors.ts';
import { actionQuery } from '../schemas/parts.ts';
import { act } from './act.ts';

type OfOrder = { readonly order_id: string };
type OfVersion = { readonly version?: number };

export interface ActionDef<P extends TSchema, B extends TSchema, T>
  extends Pick<RouteDef, 'id' | 'path' | 'summary' | 'description' | 'ok' | 'cache'> {
  /** Default: POST. */
  readonly method?: 'POST' | 'PATCH';
  /** Default: optional. */
  readonly idempotency?: 'required' | 'none';
  readonly params: P;
  readonly body: B;
  readonly example: unknown;
  /** Beside those that every action may answer. */
  readonly errors?: readonly ErrorDef[];
  /** Entity tag that `If-Match` is held against; default: the order's. */
  readonly tag?: (params: Static<P>) => (order: Order) => string;
  readonly rule: (
    work: Work,
    asked: { readonly params: Static<P>; readonly body: Static<B> },
    change: ChangeContext,
  ) => T | Promise<T>;
  readonly answer: (ctx: SellerCtx, changed: Changed<T>) => RouteResult | Promise<RouteResult>;
}

/** Declares an action: it can be tried, and is held to the version that it names. */
export function defineAction<P extends TSchema, B extends TSchema, T>(action: ActionDef<P, B, T>): AnyRoute {
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
      act(
        ctx,
        { params: params as OfOrder, query, headers, version: (body as OfVersion).version },
        {
          ...(tag === undefined ? {} : { tag: tag(params) }),
          rule: (work, change) => rule(work, { params, body }, change),
          answer: (changed) => answer(ctx, changed),
        },
      ),
  });
}
