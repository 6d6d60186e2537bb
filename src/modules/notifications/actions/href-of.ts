import { onceFor } from '../../../kernel/once-for.ts';
import type { ModuleDef } from '../../../kernel/route.ts';
import { routePath } from '../../../kernel/route-path.ts';

const PREFIX = /^[a-z]{3}_/;

/** The paths that lead to objects, by the prefixes of their ids: from the routes that read one object. */
const pathsOf = onceFor((modules: readonly ModuleDef[]): ReadonlyMap<string, string> => {
  const paths = new Map<string, string>();
  for (const module of modules)
    for (const route of module.routes) {
      const [, parent = '', name = ''] = /^([^{}]*)\{(\w+)\}$/.exec(routePath(module, route)) ?? [];
      const shown = route.ok[0].example as Readonly<Record<string, unknown>> | undefined;
      const [prefix] = PREFIX.exec(String(shown?.[name])) ?? [];
      if (route.method === 'GET' && prefix !== undefined && !paths.has(prefix)) paths.set(prefix, parent);
    }
  return paths;
});

/** The path of an object, `/api/v1/…`; null if no route reads one of its kind. */
export function hrefOf(modules: readonly ModuleDef[], objectId: string): string | null {
  const path = pathsOf(modules).get(PREFIX.exec(objectId)?.[0] ?? '');
  return path === undefined ? null : `${path}${objectId}`;
}
