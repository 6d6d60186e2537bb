import type { TSchema } from 'typebox';
import type { Access, AnyRoute, OkResponse, RouteDef, RouteResult } from '../../kernel/route.ts';
import type { WithServices } from '../services.ts';

export type { WithServices };

/** Declares a route; the types of parameters, query, body and context follow from the declaration. */
export function defineRoute<
  const A extends Access,
  P extends TSchema = TSchema,
  Q extends TSchema = TSchema,
  B extends TSchema = TSchema,
  const O extends readonly [OkResponse, ...OkResponse[]] = readonly [OkResponse, ...OkResponse[]],
>(route: RouteDef<A, P, Q, B, WithServices, O>): AnyRoute {
  return route as AnyRoute;
}

/** The same without a check of the answers' types. On its way out: module owners move to {@link defineRoute}. */
export function looseRoute<
  const A extends Access,
  P extends TSchema = TSchema,
  Q extends TSchema = TSchema,
  B extends TSchema = TSchema,
>(
  route: Omit<RouteDef<A, P, Q, B, WithServices>, 'handler'> & {
    readonly handler: (
      ...args: Parameters<RouteDef<A, P, Q, B, WithServices>['handler']>
    ) => Promise<RouteResult>;
  },
): AnyRoute {
  return route as AnyRoute;
}
