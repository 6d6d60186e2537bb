/** One route as an OpenAPI operation. */
import { PLAN_FEATURES, PLANS, planHasFeature } from '../../../kernel/plans.ts';
import type { Access, AnyRoute, ModuleDef } from '../../../kernel/route.ts';
import { type Described, requestBodyOf, successesOf } from './bodies.ts';
import { compact, type Json } from './document.ts';
import type { ErrorResponses } from './error-responses.ts';
import { isAccountGated } from './implicit-errors.ts';
import { parametersOf } from './parameters.ts';
import { securityOf } from './security.ts';

/** The plan feature that the route needs, or that an option of it needs, and the first plan that has it. */
function planOf(access: Access): Json | undefined {
  if (access.auth !== 'seller') return undefined;
  const { plan, planOption } = access;
  const feature = plan ?? planOption;
  if (feature === undefined) return undefined;
  const from = PLANS.find((candidate) => planHasFeature(candidate, feature));
  return compact({ feature: plan, option: planOption, from });
}

/** The same for people, one line below the description. */
function accessLine(module: ModuleDef, route: AnyRoute): string {
  const { access } = route;
  const parts = [
    access.auth === 'seller' ? `Permission \`${access.permission}\`` : undefined,
    access.auth === 'public' ? 'No token' : undefined,
    access.auth === 'marketplace' ? 'Marketplace token' : undefined,
    isAccountGated(module, route) ? 'needs the account flag of the area' : undefined,
    access.auth === 'seller' && access.plan !== undefined
      ? `plan ${planOf(access)?.['from']} or higher (${PLAN_FEATURES[access.plan].title})`
      : undefined,
    access.auth === 'seller' && access.limit !== undefined ? `counts against \`${access.limit}\`` : undefined,
    `rate class \`${access.rate}\``,
  ];
  return `${parts.filter((part) => part !== undefined).join(' · ')}.`;
}

const isPaged = ({ query }: AnyRoute): boolean =>
  Object.hasOwn((query as { properties?: object } | undefined)?.properties ?? {}, 'cursor');

/** The operation object; `responses` collects what it shares with others. */
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
    description: [route.description, accessLine(module, route)].filter(Boolean).join('\n\n'),
    parameters: parameters.length === 0 ? undefined : parameters,
    requestBody: requestBodyOf(route, components),
    responses: { ...successesOf(route, collected), ...errors.of(module, route) },
    security: securityOf(access),
    'x-module': module.name,
    'x-permission': access.auth === 'seller' ? access.permission : undefined,
    'x-plan': planOf(access),
    'x-limit': access.auth === 'seller' ? access.limit : undefined,
    'x-rate-class': access.rate,
    'x-idempotency': route.method === 'GET' || route.method === 'DELETE' ? undefined : access.idempotency,
    'x-pagination': isPaged(route) ? 'cursor' : undefined,
    'x-stage': module.stage,
    'x-outside-production': route.outsideProduction,
  });
}
