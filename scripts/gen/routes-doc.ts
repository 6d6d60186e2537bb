import { type AnyRoute, isSellerAccess, type ModuleDef } from '../../src/kernel/route.ts';
import { routePath } from '../../src/kernel/route-path.ts';
import { areaTable } from '../../src/platform/http/openapi/description.ts';
import { cell, code, page, table } from './markdown.ts';

function accessOf(route: AnyRoute): string {
  const { access } = route;
  return isSellerAccess(access)
    ? `${code(access.permission)}${access.auth === 'setup' ? ' (setup)' : ''}`
    : access.auth === 'marketplace'
      ? 'marketplace token'
      : 'public';
}

function planOf({ access }: AnyRoute): string {
  if (!isSellerAccess(access)) return '';
  const option = access.planOption === undefined ? undefined : `option: ${access.planOption}`;
  return [access.plan, option, access.limit === undefined ? undefined : `count: ${access.limit}`]
    .filter(Boolean)
    .join(', ');
}

function routeRow(module: ModuleDef, route: AnyRoute): string[] {
  const notes = [
    route.summary,
    route.environments === undefined ? '' : `(only in ${route.environments.join(' and ')})`,
  ]
    .filter(Boolean)
    .join(' ');
  return [
    route.method,
    code(routePath(module, route)),
    code(route.id),
    accessOf(route),
    planOf(route),
    route.access.rate,
    route.access.idempotency === 'none' ? '' : route.access.idempotency,
    cell(notes),
  ];
}

const HEAD = ['method', 'path', 'id', 'access', 'plan', 'rate', 'key', 'what it does'];

/** docs/routes.md: every route by area. */
export function routesDoc(modules: readonly ModuleDef[]): string {
  const sections = modules
    .filter(({ routes }) => routes.length > 0)
    .map(
      (module) =>
        `## ${module.title}\n\n${module.summary}.\n\n${table(
          HEAD,
          module.routes.map((route) => routeRow(module, route)),
        )}`,
    );
  return page(
    'Routes',
    'From the declarations of the modules. `key` says whether the route takes an `Idempotency-Key`; the full description is openapi.json. `(setup)` routes take the marketplace’s token too ([setup](design/wire.md#setup)).',
    `## Areas\n\n${areaTable(modules)}`,
    ...sections,
    '## Rate classes\n\nEach answer says its limit in the headers `RateLimit` and `RateLimit-Policy`. The operator sets the limits ([configuration](configuration.md)).',
  );
}
