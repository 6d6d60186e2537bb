/** The routes of the API description, for tests over every route. */
import { readFileSync } from 'node:fs';

interface Operation {
  readonly operationId: string;
  readonly 'x-permission'?: string;
}

export interface DescribedRoute {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  /** Undefined for routes without a service token. */
  readonly permission: string | undefined;
}

const METHODS = ['get', 'post', 'put', 'patch', 'delete'];

const description = JSON.parse(readFileSync(new URL('../../openapi.json', import.meta.url), 'utf8')) as {
  paths: Record<string, Record<string, Operation>>;
};

export const DESCRIBED_ROUTES: readonly DescribedRoute[] = Object.entries(description.paths).flatMap(
  ([path, operations]) =>
    METHODS.flatMap((method) => {
      const operation = operations[method];
      if (operation === undefined) return [];
      return [
        {
          id: operation.operationId,
          method: method.toUpperCase(),
          path,
          permission: operation['x-permission'],
        },
      ];
    }),
);

/** Routes with a service token. */
export const SELLER_ROUTES = DESCRIBED_ROUTES.filter(({ permission }) => permission !== undefined);
