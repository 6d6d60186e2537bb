import type { ModuleDef } from './route.ts';

/** The prefix of all routes of sellers. A breaking change gets another prefix (docs/spec-map.md#versioning). */
export const API_PREFIX = '/api/v1';

/** Full path of a route, parameters in braces. */
export function routePath(
  module: Pick<ModuleDef, 'base'>,
  route: { readonly path: string; readonly root?: boolean },
): string {
  return route.root ? route.path : `${API_PREFIX}${module.base}${route.path}`;
}
