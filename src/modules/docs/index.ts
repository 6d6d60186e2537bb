/** The description of the API and two pages that show it; outside production only, and without the internet. */
import { defineModule, type ModuleDef } from '../../kernel/route.ts';
import { createRoutes } from './routes/serve-pages.ts';

/** The module that describes `areas`; it is no area itself and does not describe its own pages. */
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
