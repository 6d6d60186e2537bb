/**
 * The OpenAPI 3.1 description, made from the same list of routes that the server mounts: nothing stands in it
 * that is not served, and nothing is served that does not stand in it.
 */
import type { ModuleDef } from '../../kernel/route.ts';
import { API_PREFIX, routePath } from '../../kernel/route-path.ts';
import { type Components, createComponents } from './openapi/components.ts';
import { describe } from './openapi/description.ts';
import { compact, type Json } from './openapi/document.ts';
import { ERROR_SCHEMAS } from './openapi/error-families.ts';
import { createErrorResponses } from './openapi/error-responses.ts';
import { HEADERS } from './openapi/headers.ts';
import { operationOf } from './openapi/operation.ts';
import { SECURITY_SCHEMES } from './openapi/security.ts';
import { EVENT_ENVELOPE, webhooksOf } from './openapi/webhooks.ts';

/** Version of the API, not of the program: it changes with a breaking change only. */
const API_VERSION = '1.0.0';

const mounted = (modules: readonly ModuleDef[]) =>
  modules.flatMap((module) => module.routes.map((route) => ({ module, route })));

/** Answers name the components first, so that a request's closed form gets the longer name. */
function registerAnswers(modules: readonly ModuleDef[], components: Components): void {
  for (const { route } of mounted(modules)) {
    for (const { schema } of route.ok) if (schema !== undefined) components.response(schema);
  }
  for (const event of modules.flatMap((module) => module.events ?? [])) components.response(event.schema);
}

const sorted = (entries: { readonly [name: string]: unknown }): Json =>
  Object.fromEntries(Object.entries(entries).sort(([a], [b]) => (a < b ? -1 : 1)));

/** One tag per area, in mount order; areas without routes say why. */
function tagOf(module: ModuleDef): Json {
  const base = module.base === '' ? '' : ` Base path \`${API_PREFIX}${module.base}\`.`;
  const gated = module.accountGated ? ' Needs the account flag of the area.' : '';
  const reason = module.availability === 'available' ? '' : ` ${module.reason ?? ''}`;
  return {
    name: module.title,
    description: `${module.summary}.${base}${gated}${reason}`,
    'x-module': module.name,
    'x-availability': module.availability,
  };
}

/** Describes the modules; deterministic, and independent of the configuration. */
export function buildOpenApi(modules: readonly ModuleDef[]): Json {
  const components = createComponents();
  const errors = createErrorResponses();
  registerAnswers(modules, components);
  const paths: Record<string, Record<string, Json>> = {};
  for (const { module, route } of mounted(modules)) {
    const path = routePath(module, route);
    const operation = operationOf(module, route, { components, errors });
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operation };
  }
  const webhooks = webhooksOf(modules, components);
  const envelope = webhooks === undefined ? {} : { Event: EVENT_ENVELOPE };
  return compact({
    openapi: '3.1.0',
    info: {
      title: 'Seller Partner Service',
      version: API_VERSION,
      summary: 'Catalogue, stock, orders, money and events of one seller.',
      description: describe(modules),
    },
    servers: [{ url: '/', description: 'The host that serves this description' }],
    tags: modules.map(tagOf),
    paths,
    webhooks,
    components: {
      schemas: sorted({ ...ERROR_SCHEMAS, ...envelope, ...components.schemas }),
      responses: sorted(errors.responses),
      examples: sorted(errors.examples),
      headers: HEADERS,
      securitySchemes: SECURITY_SCHEMES,
    },
  });
}
