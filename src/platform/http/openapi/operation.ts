/** One route as an OpenAPI operation. */
import { PLAN_FEATURES, PLANS, planHasFeature } from '../../../kernel/plans.ts';
import type { Access, AnyRoute, ModuleDef } from '../../../kernel/route.ts';
import { requestBodyOf, successesOf } from './bodies.ts';
import type { Components } from './components.ts';
import { compact, type Json } from './document.ts';
import type { ErrorResponses } from './error-responses.ts';
import { isAccountGated } from './implicit-errors.ts';
import { parametersOf } from './parameters.ts';
import { securityOf } from './security.ts';

/** What the plan has to do with the route. */
function planNote(access: Access): Json | undefined {
  if (access.auth !== 'seller') return undefined;
  const { plan, planOption, limit } = access;
  const from = plan === undefined ? undefined : PLANS.find((candidate) => planHasFeature(candidate, plan));
  const note = compact({ feature: plan, from, option: planOption, limit });
  return Object.keys(note).length === 0 ? undefined : note;
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
      ? `plan ${planNote(access)?.['from']} or higher (${PLAN_FEATURES[access.plan].title})`
      : undefined,
    access.auth === 'seller' && access.limit !== undefined ? `counts against \`${access.limit}\`` : undefined,
    `rate class \`${access.rate}\``,
  ];
  return `${parts.filter((part) => part !== undefined).join(' · ')}.`;
}

/** The operation object; `responses` collects what it shares with others. */
export function operationOf(
  module: ModuleDef,
  route: AnyRoute,
  collected: { readonly components: Components; readonly errors: ErrorResponses },
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
    responses: { ...successesOf(route, components), ...errors.of(module, route) },
    security: securityOf(access),
    'x-module': module.name,
    'x-permission': access.auth === 'seller' ? access.permission : undefined,
    'x-plan': planNote(access),
    'x-rate-class': access.rate,
    'x-outside-production': route.outsideProduction,
  });
}
