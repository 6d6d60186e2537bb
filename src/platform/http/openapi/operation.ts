/** One route as an OpenAPI operation. */
import { PLANS, planHasFeature } from '../../../kernel/plans.ts';
import { type Access, type AnyRoute, isSellerAccess, type ModuleDef } from '../../../kernel/route.ts';
import { type Described, requestBodyOf, successesOf } from './bodies.ts';
import { compact, type Json } from './document.ts';
import type { ErrorResponses } from './error-responses.ts';
import { isAccountGated } from './implicit-errors.ts';
import { parametersOf } from './parameters.ts';
import { securityOf } from './security.ts';

/** The plan feature that the route needs, or that an option of it needs, and the first plan that has it. */
function planOf(access: Access): Json | undefined {
  if (!isSellerAccess(access)) return undefined;
  const { plan, planOption } = access;
  const feature = plan ?? planOption;
  if (feature === undefined) return undefined;
  const from = PLANS.find((candidate) => planHasFeature(candidate, feature));
  return compact({ feature: plan, option: planOption, from });
}

const isPaged = ({ query }: AnyRoute): boolean =>
  Object.hasOwn((query as { properties?: object } | undefined)?.properties ?? {}, 'cursor');

/** The operation object; `errors` makes the answers of its refusals. */
export function operationOf(
  module: ModuleDef,
  route: AnyRoute,
  collected: Described & { readonly errors: ErrorResponses },
): Json {
  const { components, errors } = collected;
  const { access } = route;
  const parameters = parametersOf(route, components);
  return compact({
    operationId: route.id,
    tags: [module.title],
    summary: route.summary,
    description: route.description,
    parameters: parameters.length === 0 ? undefined : parameters,
    requestBody: requestBodyOf(route, components),
    responses: { ...successesOf(route, collected), ...errors(module, route) },
    security: securityOf(access),
    'x-permission': isSellerAccess(access) ? access.permission : undefined,
    'x-account-flag': isAccountGated(module, route) ? true : undefined,
    'x-plan': planOf(access),
    'x-limit': isSellerAccess(access) ? access.limit : undefined,
    'x-rate-class': access.rate,
    'x-idempotency': route.method === 'GET' || route.method === 'DELETE' ? undefined : access.idempotency,
    'x-pagination': isPaged(route) ? 'cursor' : undefined,
    'x-stage': module.stage,
    'x-environments': route.environments,
  });
}
