/** Answers requests without a route: 405 with Allow, 404 for an unavailable area, or the plain 404. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type ApiError, coreErrors, fail } from '../../kernel/errors.ts';
import { misspelt } from '../../kernel/near-miss.ts';
import { withPathsAbove } from '../../kernel/paths-above.ts';
import type { Method, ModuleDef } from '../../kernel/route.ts';
import { withHead } from './head.ts';

export interface KnownPath {
  readonly method: Method;
  readonly path: string;
  readonly pattern: RegExp;
}

/** The pattern of a declared path: each parameter is one segment. */
export function pathPattern(path: string): RegExp {
  return new RegExp(`^${path.replaceAll(/[.*+?^$()|[\]\\]/g, '\\$&').replaceAll(/\{\w+\}/g, '[^/]+')}$`);
}

/**
 * Methods that a literal path does not have and a path with a parameter has: without an answer of its own, the request
 * would look for an object whose id is the literal word.
 */
export function shadowedMethods(known: readonly KnownPath[]): Pick<KnownPath, 'method' | 'path'>[] {
  const general = known.filter(({ path }) => path.includes('{'));
  const literal = known.filter(({ path }) => !path.includes('{'));
  return [...new Set(literal.map(({ path }) => path))].flatMap((path) => {
    const own = literal.filter((route) => route.path === path).map(({ method }) => method);
    const others = general.filter(({ pattern }) => pattern.test(path)).map(({ method }) => method);
    return [...new Set(others)].filter((method) => !own.includes(method)).map((method) => ({ method, path }));
  });
}

function moduleUnavailable(module: ModuleDef): ApiError {
  return fail(coreErrors.module_unavailable, {
    detail: module.reason ?? `${module.title} is not available.`,
    facts: { module: module.name, availability: module.availability },
  });
}

/** Paths of available areas that the specification leaves out, with their answers. */
const absentPathsOf = (modules: readonly ModuleDef[]) =>
  modules.flatMap(({ name, base, absentPaths = [] }) =>
    absentPaths.map(({ path, availability, reason }) => ({
      pattern: pathPattern(`/api/v1${base}${path}`),
      refusal: () =>
        fail(coreErrors.module_unavailable, { detail: reason, facts: { module: name, availability } }),
    })),
  );

const isBelow = (path: string, base: string): boolean => path === base || path.startsWith(`${base}/`);

/** A longer path is cut in the answer. */
const PATH_CHARS_MAX = 120;

/** A declared path that differs from the given one by a misspelt word. */
function nearestPath(path: string, known: readonly KnownPath[]): string | undefined {
  const given = path.split('/');
  const differs = (segment: string, at: number): boolean =>
    segment !== given[at] && !(segment.startsWith('{') && given[at] !== '');
  return known
    .map((route) => route.path)
    .find((candidate) => {
      const segments = candidate.split('/');
      const wrong = segments.filter(differs);
      const at = segments.findIndex(differs);
      return (
        segments.length === given.length &&
        wrong.length === 1 &&
        misspelt(given[at] ?? '', wrong) !== undefined
      );
    });
}

function noRoute(method: string, path: string, known: readonly KnownPath[]): ApiError {
  const nearest = nearestPath(path, known);
  const hint = nearest === undefined ? '' : ` Did you mean ${nearest}?`;
  return fail(coreErrors.route_not_found, {
    detail: `There is no route ${method} ${path.slice(0, PATH_CHARS_MAX)}.${hint}`,
  });
}

interface NotFoundOptions {
  readonly modules: readonly ModuleDef[];
  readonly known: readonly KnownPath[];
  /** Runs before the answer names an area, so that a caller without a token learns nothing about areas. */
  readonly authenticate: (request: FastifyRequest) => Promise<unknown>;
}

/** The handler of every request without a route. */
export function createNotFound({
  modules,
  known,
  authenticate,
}: NotFoundOptions): (request: FastifyRequest, reply: FastifyReply) => Promise<never> {
  const absent = modules
    .filter((module) => module.availability !== 'available')
    .map((module) => ({ module, base: `/api/v1${module.base}` }))
    .sort((a, b) => b.base.length - a.base.length);
  const absentPaths = absentPathsOf(modules);
  const staged = modules.filter((module) => module.stage !== undefined);
  return async (request, reply) => {
    const path = request.url.split('?', 1)[0] ?? '/';
    const { stage } = staged.find(({ base }) => isBelow(path, `/api/v1${base}`)) ?? {};
    if (stage !== undefined) reply.header('x-api-stage', stage);
    const matching = known.filter((route) => route.pattern.test(path));
    // A literal path takes precedence over a route with a parameter that matches it.
    const literal = matching.filter((route) => route.path === path);
    const allowed = (literal.length > 0 ? literal : matching).flatMap((route) => withHead(route.method));
    if (allowed.length > 0) {
      const methods = [...new Set(allowed)].sort();
      throw fail(coreErrors.method_not_allowed, {
        detail: `${request.method} is not supported here. Allowed: ${methods.join(', ')}.`,
        headers: { allow: methods.join(', ') },
        facts: { allowed: methods },
      });
    }
    const absentPath = absentPaths.find(({ pattern }) =>
      withPathsAbove(path).some((part) => pattern.test(part)),
    );
    if (absentPath !== undefined) {
      await authenticate(request);
      throw absentPath.refusal();
    }
    const area = absent.find(({ base }) => isBelow(path, base));
    const below = area === undefined ? '' : path.slice(area.base.length);
    if (area === undefined || area.module.neverPaths?.includes(below) === true)
      throw noRoute(request.method, path, known);
    // A caller of a public route has no service token.
    if (area.module.publicPaths?.includes(below) !== true) await authenticate(request);
    throw moduleUnavailable(area.module);
  };
}
