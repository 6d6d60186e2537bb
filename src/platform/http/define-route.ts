import type { TSchema } from 'typebox';
import type { Access, AnyRoute, OkResponse, RouteDef } from '../../kernel/route.ts';
import type { WithServices } from '../services.ts';

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

/** The only success answer of a route, for its `ok`: JSON of the schema. */
export const okJson = <const S extends TSchema>(
  description: string,
  schema: S,
  example: unknown,
  status = 200,
) => [{ status, description, schema, example }] as const;
