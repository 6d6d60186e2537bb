/** The routes as the API description has them: what tests over every route go through. */
import { readFileSync } from 'node:fs';

interface Content {
  readonly example?: unknown;
}
interface Operation {
  readonly operationId: string;
  readonly security?: readonly Record<string, unknown>[];
  readonly parameters?: readonly {
    readonly name: string;
    readonly in: string;
    readonly required?: boolean;
    readonly example?: unknown;
  }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, Content>> };
  readonly 'x-permission'?: string;
  readonly 'x-plan'?: { readonly feature?: string };
}

export interface DescribedRoute {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  /** Names of the path's parameters. */
  readonly params: readonly string[];
  readonly permission: string | undefined;
  /** Plan feature without which the route is 402. */
  readonly plan: string | undefined;
  /** A request that the description shows as valid. */
  request(ids?: Readonly<Record<string, string>>): {
    path: string;
    headers: Record<string, string>;
    body?: string;
  };
}

const METHODS = ['get', 'post', 'put', 'patch', 'delete'];

function describe(path: string, method: string, operation: Operation): DescribedRoute {
  const params = [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1] ?? '');
  const [content] = Object.entries(operation.requestBody?.content ?? {});
  const required = (operation.parameters ?? []).filter((parameter) => parameter.required);
  return {
    id: operation.operationId,
    method: method.toUpperCase(),
    path,
    params,
    permission: operation['x-permission'],
    plan: operation['x-plan']?.feature,
    request: (ids = {}) => {
      const query = required
        .filter(({ in: where }) => where === 'query')
        .map(({ name, example }) => `${name}=${encodeURIComponent(String(example))}`);
      const headers = Object.fromEntries(
        required
          .filter(({ in: where }) => where === 'header')
          .map(({ name, example }) => [name.toLowerCase(), String(example)]),
      );
      const target = params.reduce((text, name) => text.replace(`{${name}}`, ids[name] ?? 'missing'), path);
      const url = query.length === 0 ? target : `${target}?${query.join('&')}`;
      if (content === undefined) return { path: url, headers };
      const [type, { example }] = content;
      return {
        path: url,
        headers: { ...headers, 'content-type': type },
        body: typeof example === 'string' ? example : JSON.stringify(example),
      };
    },
  };
}

const description = JSON.parse(readFileSync(new URL('../../openapi.json', import.meta.url), 'utf8')) as {
  paths: Record<string, Record<string, Operation>>;
};

export const DESCRIBED_ROUTES: readonly DescribedRoute[] = Object.entries(description.paths).flatMap(
  ([path, operations]) =>
    METHODS.flatMap((method) => {
      const operation = operations[method];
      return operation === undefined ? [] : [describe(path, method, operation)];
    }),
);

/** Routes that act for a seller. */
export const SELLER_ROUTES = DESCRIBED_ROUTES.filter(({ permission }) => permission !== undefined);
