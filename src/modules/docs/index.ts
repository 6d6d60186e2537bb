/** The description of the API, and two pages that show it. They work without the internet, and not in production. */
import { defineModule, type ModuleDef } from '../../kernel/route.ts';
import { createRoutes } from './routes/serve-pages.ts';

/** The module that describes the areas. It is not an area itself, and its own pages are not described. */
export function createDocsModule(areas: readonly ModuleDef[]): ModuleDef {
  return defineModule({
    name: 'docs',
    base: '',
    title: 'Description',
    summary: 'Interactive and machine-readable API description, non-production hosts only',
    availability: 'available',
    routes: createRoutes(areas),
  });
}
