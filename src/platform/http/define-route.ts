import type { TSchema } from 'typebox';
import type { Access, AnyRoute, RouteDef } from '../../kernel/route.ts';
import type { Services } from '../services.ts';

/** What every handler finds in its context beside the seller and the database. */
export interface WithServices {
  readonly services: Services;
}

/** Declares a route; the types of parameters, query, body and context follow from the declaration. */
export function defineRoute<
  const A extends Access,
  P extends TSchema = TSchema,
  Q extends TSchema = TSchema,
  B extends TSchema = TSchema,
>(route: RouteDef<A, P, Q, B, WithServices>): AnyRoute {
  return route as AnyRoute;
}
