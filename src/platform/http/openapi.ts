/**
 * The OpenAPI 3.1 description. It is made from the list of routes that the server mounts, so it has exactly the served
 * routes.
 */
import { FieldProblemSchema } from '../../kernel/item-error.ts';
import type { ModuleDef } from '../../kernel/route.ts';
import { routePath } from '../../kernel/route-path.ts';
import { PlanSchema } from '../../kernel/schema.ts';
import { UPLOAD_FORM } from './openapi/bodies.ts';
import { type Components, createComponents } from './openapi/components.ts';
import { describe } from './openapi/description.ts';
import { compact, type Json } from './openapi/document.ts';
import { ERROR_SCHEMAS } from './openapi/error-families.ts';
import { createErrorResponses } from './openapi/error-responses.ts';
import { COMMON_HEADERS, HEADERS } from './openapi/headers.ts';
import { hoist } from './openapi/hoist.ts';
import { operationOf } from './openapi/operation.ts';
import { collectExamples, withExamples } from './openapi/schema-examples.ts';
import { SECURITY_SCHEMES, SELLER_SECURITY } from './openapi/security.ts';
import { shareFields } from './openapi/share-fields.ts';
import { tagGroups, tagsOf } from './openapi/tags.ts';
import { describeEvents } from './openapi/webhooks.ts';

/** Version of the API, not of the program: it changes with a breaking change only. */
const API_VERSION = '1.0.0';

/** With `/` the pages call the service that serves them. Clients set the host themselves. */
const SERVERS: readonly Json[] = [
  { url: '/', description: 'The host that serves this description' },
  {
    url: 'https://{host}',
    description: 'Production',
    variables: {
      host: { default: 'sellers.marketplace.example', description: 'Host of the marketplace’s seller API' },
    },
  },
];

const mounted = (modules: readonly ModuleDef[]) =>
  modules.flatMap((module) => module.routes.map((route) => ({ module, route })));

/** Answers are described before requests, so that the closed form of a request gets the longer name. */
function registerAnswers(modules: readonly ModuleDef[], components: Components): void {
  components.response(PlanSchema);
  components.response(FieldProblemSchema);
  for (const { route } of mounted(modules))
    for (const { schema } of [...route.ok, ...route.errors])
      if (schema !== undefined) components.response(schema);
  for (const event of modules.flatMap((module) => module.events ?? [])) components.response(event.schema);
}

const sorted = (entries: { readonly [name: string]: unknown }): Json =>
  Object.fromEntries(Object.entries(entries).sort(([a], [b]) => (a < b ? -1 : 1)));

/** The schemas that some part of the description refers to, directly or through others. */
function used(schemas: { readonly [name: string]: Json }, from: unknown): { readonly [name: string]: Json } {
  const reached = new Set<string>();
  const follow = (part: unknown): void => {
    for (const [, name = ''] of JSON.stringify(part).matchAll(/"#\/components\/schemas\/([^"]+)"/g)) {
      if (reached.has(name)) continue;
      reached.add(name);
      follow(schemas[name]);
    }
  };
  follow(from);
  return Object.fromEntries(Object.entries(schemas).filter(([name]) => reached.has(name)));
}

/** Describes the modules; deterministic, and independent of the configuration. */
export function buildOpenApi(modules: readonly ModuleDef[]): Json {
  const components = createComponents();
  const errors = createErrorResponses();
  registerAnswers(modules, components);
  const examples = collectExamples(modules, components);
  const described: Record<string, Record<string, Json>> = {};
  for (const { module, route } of mounted(modules)) {
    const path = routePath(module, route);
    const operation = operationOf(module, route, { components, errors, examples });
    described[path] = { ...described[path], [route.method.toLowerCase()]: operation };
  }
  const events = describeEvents(modules, components);
  const shared = hoist(described, { responses: events.responses, headers: HEADERS });
  const named = withExamples(
    { ...ERROR_SCHEMAS, UploadForm: UPLOAD_FORM, ...components.schemas, ...events.schemas },
    examples,
  );
  const { schemas, rest } = shareFields(named, {
    paths: shared.paths,
    responses: { ...events.responses, ...shared.components.responses },
  });
  return compact({
    openapi: '3.1.0',
    info: {
      title: 'Seller Partner Service',
      version: API_VERSION,
      summary: 'Catalogue, stock, orders, money and events of one seller.',
      description: describe(),
      contact: { name: 'Seller support of the marketplace' },
    },
    servers: SERVERS,
    security: SELLER_SECURITY,
    'x-common-headers': COMMON_HEADERS,
    tags: tagsOf(modules),
    'x-tagGroups': tagGroups(modules),
    paths: rest.paths,
    webhooks: events.webhooks,
    components: {
      schemas: sorted(used(schemas, [rest, events.webhooks])),
      parameters: sorted(shared.components.parameters),
      responses: sorted(rest.responses),
      examples: sorted(shared.components.examples),
      headers: { ...HEADERS, ...shared.components.headers },
      securitySchemes: SECURITY_SCHEMES,
    },
  });
}
