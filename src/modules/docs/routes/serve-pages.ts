import Type from 'typebox';
import { coreErrors, requireFound } from '../../../kernel/errors.ts';
import type { AnyRoute, ModuleDef, OkResponse, RouteResult } from '../../../kernel/route.ts';
import { API_PREFIX } from '../../../kernel/route-path.ts';
import { defineRoute } from '../../../platform/http/define-route.ts';
import { buildOpenApi } from '../../../platform/http/openapi.ts';
import type { Services } from '../../../platform/services.ts';
import { VERSION } from '../../../platform/version.ts';
import { type Asset, assetOf, createAssets } from './assets.ts';
import { PAGE_POLICY, REDOC_PAGE, SWAGGER_PAGE } from './pages.ts';

const HTML = 'text/html; charset=utf-8';
const JSON_TYPE = 'application/json; charset=utf-8';
/** The browser checks for a change each time and mostly gets 304, so an upgrade is visible immediately. */
const REVALIDATE = 'no-cache';

const open = { auth: 'public', rate: 'public', idempotency: 'none' } as const;
const shown = {
  method: 'GET',
  root: true,
  access: open,
  environments: ['development', 'staging'],
} as const;
const html: OkResponse = { status: 200, description: 'The page', contentTypes: ['text/html'] };

const answer = (asset: Asset, headers: Readonly<Record<string, string>> = {}): RouteResult<undefined> => ({
  content: { type: asset.type, data: asset.bytes },
  etag: asset.etag,
  headers: { 'cache-control': REVALIDATE, ...headers },
});

/** A page with its content security policy. */
function pageRoute(id: string, path: string, summary: string, text: string): AnyRoute {
  const page = assetOf(HTML, Buffer.from(text));
  return defineRoute({
    ...shown,
    id,
    path,
    summary,
    description: 'Outside production only.',
    ok: [html],
    errors: [],
    handler: async () => answer(page, { 'content-security-policy': PAGE_POLICY }),
  });
}

const Index = Type.Object(
  {
    service: Type.String({ description: 'Name of the service' }),
    version: Type.String({ description: 'Version of the release' }),
    api: Type.String({ description: 'Path below which the API is' }),
    health: Type.String({ description: 'Path that says whether the service can answer requests' }),
    keys: Type.String({ description: 'Path of the keys that sign service tokens' }),
  },
  { title: 'Index', description: 'Where to go from the address of the service.' },
);
const INDEX = {
  service: 'Seller Partner Service',
  version: VERSION,
  api: API_PREFIX,
  health: '/health/ready',
  keys: '/.well-known/jwks.json',
};

/** The address of the service alone. Production has no pages to go to. */
const index = defineRoute({
  id: 'docs.index.get',
  method: 'GET',
  path: '/',
  root: true,
  summary: 'The way from the address of the service',
  description: 'Redirects to `/docs`; in production, lists the first paths.',
  access: open,
  ok: [
    { status: 200, description: 'The first paths', schema: Index, example: INDEX },
    { status: 302, description: 'To the pages' },
  ],
  errors: [],
  handler: async ({ services }: { readonly services: Services }) =>
    services.config.APP_ENV === 'production'
      ? { body: INDEX }
      : { status: 302, headers: { location: '/docs' } },
});

/** `/`, `/openapi.json`, the pages, and the files that they load. */
export function createRoutes(areas: readonly ModuleDef[]): AnyRoute[] {
  const assets = createAssets();
  let description: Asset | undefined;
  return [
    index,
    defineRoute({
      ...shown,
      id: 'docs.openapi.get',
      path: '/openapi.json',
      summary: 'The description of the API (OpenAPI 3.1)',
      description: 'Outside production only.',
      ok: [{ status: 200, description: 'The description', contentTypes: ['application/json'] }],
      errors: [],
      handler: async () => {
        description ??= assetOf(JSON_TYPE, Buffer.from(JSON.stringify(buildOpenApi(areas))));
        return answer(description);
      },
    }),
    pageRoute('docs.swagger.get', '/docs', 'The API, to try out', SWAGGER_PAGE),
    pageRoute('docs.redoc.get', '/redoc', 'The API, to read', REDOC_PAGE),
    defineRoute({
      ...shown,
      id: 'docs.assets.get',
      path: '/docs/assets/{name}',
      summary: 'A file that the pages load',
      description: 'Outside production only.',
      params: Type.Object({ name: Type.String({ description: 'Name of the file' }) }),
      ok: [
        { status: 200, description: 'The file', contentTypes: ['text/javascript', 'text/css', 'image/png'] },
      ],
      errors: [coreErrors.not_found],
      handler: async (_ctx, { params }) => {
        return answer(requireFound(await assets(params.name)));
      },
    }),
  ];
}
