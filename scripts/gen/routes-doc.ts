import { DEFAULT_RATE_LIMITS } from '../../src/kernel/rate-limits.ts';
import type { AnyRoute, ModuleDef } from '../../src/kernel/route.ts';
import { routePath } from '../../src/kernel/route-path.ts';
import { areaTable } from '../../src/platform/http/openapi/description.ts';
import { cell, code, page, table } from './markdown.ts';

function accessOf(route: AnyRoute): string {
  const { access } = route;
  return access.auth === 'seller'
    ? code(access.permission)
    : access.auth === 'marketplace'
      ? 'marketplace token'
      : 'public';
}

function planOf({ access }: AnyRoute): string {
  if (access.auth !== 'seller') return '';
  const option = access.planOption === undefined ? undefined : `option: ${access.planOption}`;
  return [access.plan, option, access.limit === undefined ? undefined : `count: ${access.limit}`]
    .filter(Boolean)
    .join(', ');
}

function routeRow(module: ModuleDef, route: AnyRoute): string[] {
  const notes = [route.summary, route.outsideProduction ? '(outside production only)' : '']
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
  const rates = Object.entries(DEFAULT_RATE_LIMITS).map(([name, { quota, seconds }]) => [
    name,
    String(quota),
    `${seconds} s`,
  ]);
  return page(
    'Routes',
    'From the declarations of the modules. `key` says whether the route takes an `Idempotency-Key`; the full description is openapi.json.',
    `## Areas\n\n${areaTable(modules)}`,
    ...sections,
    `## Rate classes\n\nDefaults by seller (by address on routes without a service token); \`RATE_LIMITS\` overrides them.\n\n${table(['class', 'requests', 'window'], rates)}`,
  );
}
