/** The declarations of the modules are consistent: routes, events, errors, areas. */
import { readFileSync } from 'node:fs';
import Type, { type TObject } from 'typebox';
import { describe, expect, test } from 'vitest';
import { ApiError } from '../src/kernel/errors.ts';
import { type AnyRoute, isSellerAccess, type JsonBody, type ModuleDef } from '../src/kernel/route.ts';
import { routePath } from '../src/kernel/route-path.ts';
import { closeObjects } from '../src/kernel/schema.ts';
import { titleOf } from '../src/modules/notifications/domain/to-notifications.ts';
import { MODULES } from '../src/modules.ts';
import { createAnswerer } from '../src/platform/http/respond.ts';
import { compileChecks } from '../src/platform/http/validate.ts';
import { listsChanges } from '../src/platform/rest/resume-since.ts';
import { schemaCheck } from '../src/platform/schema-check.ts';
import { readSources } from './support/source-tree.ts';

interface Mounted {
  readonly module: ModuleDef;
  readonly route: AnyRoute;
}
const mounted: Mounted[] = MODULES.flatMap((module) => module.routes.map((route) => ({ module, route })));
const routes = mounted.map(({ route }) => route);

/** The verbs, the last part of a route's id. GET is get, list, export or a question; PATCH is update. */
const VERBS = new Set(
  (
    'get list export create update replace delete clear archive set adjust write ' +
    'rotate pause resume test retry import detect check simulate validate commit revert cancel invite exchange register revoke ' +
    'acknowledge accept reject deny refuse receive inspect dispatch reauthorise disconnect resolve reopen escalate respond appeal publish unpublish ' +
    'settle close report contest withdraw submit end open award take_over reverse'
  ).split(' '),
);

const twice = (values: readonly string[]): string[] =>
  values.filter((value, index) => values.indexOf(value) !== index);
const idsWhere = (wrong: (route: AnyRoute) => boolean): string[] => routes.filter(wrong).map(({ id }) => id);
const jsonBody = ({ body }: AnyRoute): JsonBody<never> | undefined =>
  body?.kind === 'json' ? (body as JsonBody<never>) : undefined;

/** What `use` throws: a refusal of the value, or the error of a schema that cannot be compiled. */
function fault(use: () => unknown): { readonly refusal: boolean; readonly says: string } | undefined {
  try {
    use();
    return undefined;
  } catch (error) {
    const refusal = error instanceof ApiError;
    return { refusal, says: refusal ? JSON.stringify(error.body) : String(error) };
  }
}

describe('every route', () => {
  test('has an id and a place of its own', () => {
    expect(twice(routes.map(({ id }) => id))).toEqual([]);
    expect(twice(mounted.map(({ module, route }) => `${route.method} ${routePath(module, route)}`))).toEqual(
      [],
    );
  });

  test('that lists changes says from when the next list must read', () => {
    const wrong = routes.filter(({ query, ok }) => {
      if (!listsChanges((query as TObject | undefined)?.properties)) return false;
      const [{ schema, headers = [] } = ok[0]] = ok;
      const fields = (schema as { properties?: object } | undefined)?.properties ?? {};
      return !('resume_since' in fields) && !headers.some(({ name }) => name === 'Resume-Since');
    });
    expect(wrong.map(({ id }) => id)).toEqual([]);
  });

  test('has an id of its module, its object and a verb', () => {
    const wrong = mounted.filter(({ module, route: { id } }) => {
      const parts = id.split('.');
      return (
        !/^[a-z_]+(\.[a-z_]+){1,2}$/.test(id) ||
        parts[0] !== module.name.replaceAll('-', '_') ||
        !VERBS.has(parts.at(-1) ?? '')
      );
    });
    expect(wrong.map(({ route }) => route.id)).toEqual([]);
  });

  test('says what it does, without a full stop', () => {
    expect(
      idsWhere(({ summary }) => summary.trim() === '' || summary.endsWith('.') || summary.length > 120),
    ).toEqual([]);
  });

  test('has an example of its body and of each answer', () => {
    expect(
      idsWhere(({ ok }) => ok.some(({ schema, example }) => schema !== undefined && example === undefined)),
    ).toEqual([]);
    expect(
      idsWhere((route) => jsonBody(route)?.example === undefined && route.body?.kind === 'json'),
    ).toEqual([]);
  });

  test('has examples that its schemas accept', () => {
    const wrong = routes.flatMap((route) => {
      const takes = fault(() => compileChecks(route).body?.(structuredClone(jsonBody(route)?.example)))?.says;
      const answers = route.ok.map(({ schema, example }) =>
        schema === undefined ? undefined : schemaCheck(closeObjects(schema))(structuredClone(example)),
      );
      return [takes, ...answers].flatMap((problem) =>
        problem === undefined ? [] : [`${route.id}: ${problem}`],
      );
    });
    expect(wrong).toEqual([]);
  });

  // The service compiles a schema with its first value, so only a test finds a schema that cannot be compiled.
  test('has schemas of parameters and answers that can be compiled', () => {
    const wrong = routes.flatMap((route) => {
      const checks = compileChecks(route);
      const answer = createAnswerer(route, false);
      return [
        () => checks.params?.({}),
        () => checks.query({}),
        ...route.ok.map(
          ({ status, example }) =>
            () =>
              answer({ status, body: example }),
        ),
      ].flatMap((use) => {
        const found = fault(use);
        // Many schemas rightly refuse an empty value.
        return found === undefined || found.refusal ? [] : [`${route.id}: ${found.says}`];
      });
    });
    expect(wrong).toEqual([]);
  });

  test('describes each parameter of its path', () => {
    const names = (route: AnyRoute): string[] =>
      [...route.path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
    expect(
      idsWhere((route) => {
        const declared = (route.params as { properties?: object } | undefined)?.properties ?? {};
        return (
          names(route).some((name) => !(name in declared)) ||
          Object.keys(declared).length !== names(route).length
        );
      }),
    ).toEqual([]);
  });

  test('takes a key if a repeated request would have a second effect', () => {
    /** A repeated request of these changes nothing, or the answer must not be stored. */
    const unkeyed =
      /^auth\.|^products\.(identity\.check|import_profiles\.detect)$|^sellers\.(abn|business_number)\.|^billing\.checkout\.|^(fees\.estimates|pricing\.simulations)\.|^shipping\.label_sheets\.|^channels\.authorisations\.|^store_platform_webhooks\.|^payouts\.|^payment_provider_callbacks\./;
    expect(
      idsWhere(
        ({ method, access }) => (method === 'GET' || method === 'DELETE') && access.idempotency !== 'none',
      ),
    ).toEqual([]);
    expect(
      idsWhere(
        ({ id, method, access }) => method === 'POST' && access.idempotency === 'none' && !unkeyed.test(id),
      ),
    ).toEqual([]);
  });

  test('honours If-Match where it changes one resource', () => {
    expect(
      idsWhere(
        ({ method, path, errors }) =>
          (method === 'PATCH' || method === 'PUT') &&
          path.includes('{') &&
          !errors.some(({ code }) => code === 'precondition_failed'),
      ),
    ).toEqual([]);
  });

  // The checks fill defaults in, so a PATCH would write what its body leaves out. Items of a list are sent whole.
  test('has no default in the body of a change', () => {
    const defaultsIn = (value: unknown, path: string): string[] =>
      typeof value !== 'object' || value === null
        ? []
        : Object.entries(value).flatMap(([key, inner]) => [
            ...(key === 'default' && !path.endsWith('.properties') ? [path] : []),
            ...(key === 'items' ? [] : defaultsIn(inner, `${path}.${key}`)),
          ]);
    const shared = Type.Object({ size: Type.Integer({ default: 1 }), default: Type.String() });
    expect(defaultsIn(Type.Partial(shared), 'body')).toEqual(['body.properties.size']);
    const wrong = routes
      .filter(({ method }) => method === 'PATCH')
      .flatMap((route) => defaultsIn(jsonBody(route)?.schema, route.id));
    expect(wrong).toEqual([]);
  });

  test('answers for a stranger’s object as for one that does not exist', () => {
    expect(
      idsWhere(
        ({ access, path, errors }) =>
          isSellerAccess(access) && /_id\}/.test(path) && !errors.some(({ status }) => status === 404),
      ),
    ).toEqual([]);
  });
});

describe('events', () => {
  const outgoing = MODULES.flatMap(({ events = [] }) => events);
  const incoming = MODULES.flatMap(({ marketplaceEvents = [] }) => marketplaceEvents);

  test('are declared once, with an example that fits', () => {
    expect(twice([...outgoing, ...incoming].map(({ type }) => type))).toEqual([]);
    const wrong = [...outgoing, ...incoming].flatMap(({ type, schema, example }) => {
      const problem = schemaCheck(schema)(structuredClone(example));
      return problem === undefined ? [] : [`${type}: ${problem}`];
    });
    expect(wrong).toEqual([]);
  });

  // The objects of these events are read when the event is first read; the others hold their objects.
  test('have notification titles that name fields of their objects', () => {
    const titles = outgoing.flatMap(({ notification, example }) =>
      notification === undefined ? [] : [titleOf(notification.title, example as Record<string, unknown>)],
    );
    expect(titles.filter((title) => title.includes('–') || title.includes('['))).toEqual([]);
  });

  test('may have no object only if their objects are read late', () => {
    const late = MODULES.flatMap(({ eventObjects = [] }) => eventObjects.flatMap(({ types }) => types));
    const gone = outgoing.filter(({ mayBeGone }) => mayBeGone === true).map(({ type }) => type);
    expect(gone.sort()).toEqual([...late].sort());
  });
});

describe('errors', () => {
  const declared = new Map(routes.flatMap(({ errors }) => errors).map((def) => [def.code, def]));

  test('have a status of their family and a text that ends with a full stop', () => {
    const wrong = [...declared.values()].filter(
      ({ status, detail, code }) =>
        status < 400 || status > 599 || !/[.!]$/.test(detail) || !/^[a-z][a-z0-9_]*$/.test(code),
    );
    expect(wrong).toEqual([]);
  });

  test('are all produced by some test', () => {
    const tests = readSources('src')
      .concat(readSources('test'))
      .filter(({ isTest, path }) => isTest && path !== 'test/declarations.test.ts');
    const named = tests.map(({ literals }) => literals.join('\n')).join('\n');
    expect([...declared.keys()].filter((code) => !new RegExp(`\\b${code}\\b`).test(named))).toEqual([]);
  });
});

describe('areas', () => {
  /** Base paths of the specification, "Module base paths", without the two receivers. */
  const BASES =
    'auth sellers sellers/validate-abn products pricing orders shipping fulfillment payouts payments/payouts fees financials billing dashboard analytics forecasting marketplace-intel profitability customer-analytics search-insights marketing offers onboarding kyc seller-agreement quality reviews customer_service faqs messages notifications ugc loyalty audit webhooks wholesale dropship sourcing channels'.split(
      ' ',
    );

  test('of the specification are all declared', () => {
    const known = new Set([
      ...MODULES.map(({ base }) => base.slice(1)),
      ...mounted.map(({ module, route }) => routePath(module, route).slice('/api/v1/'.length)),
    ]);
    expect(BASES.filter((base) => !known.has(base))).toEqual([]);
  });

  test('have a unique name and base, and a reason if they are not available', () => {
    expect(twice(MODULES.map(({ name }) => name))).toEqual([]);
    expect(twice(MODULES.map(({ title }) => title))).toEqual([]);
    expect(twice(MODULES.map(({ base }) => base).filter(Boolean))).toEqual([]);
    expect(
      MODULES.filter(({ availability, reason }) => availability !== 'available' && !reason).map(
        ({ name }) => name,
      ),
    ).toEqual([]);
  });

  test('financials/taxes/summary exists nowhere', () => {
    expect(mounted.map(({ module, route }) => routePath(module, route))).not.toContain(
      '/api/v1/financials/taxes/summary',
    );
    expect(readFileSync(new URL('../openapi.json', import.meta.url), 'utf8')).not.toContain('/taxes/summary');
  });
});

describe('money', () => {
  /** Every key of a schema, an example or a query, at any depth. */
  const keysOf = (value: unknown): string[] => {
    if (Array.isArray(value)) return value.flatMap(keysOf);
    if (typeof value !== 'object' || value === null) return [];
    return Object.entries(value).flatMap(([key, inner]) => [key, ...keysOf(inner)]);
  };
  const described = JSON.parse(readFileSync(new URL('../openapi.json', import.meta.url), 'utf8')) as {
    paths: Record<string, unknown>;
  };
  const areas = /^\/api\/v1\/(financials|fees|payments|payouts|profitability|dashboard)\b/;
  const own = Object.entries(described.paths).filter(([path]) => areas.test(path));
  /** The part of the description that `#/a/b` refers to. */
  const pointedAt = (reference: string): unknown =>
    reference
      .split('/')
      .slice(1)
      .reduce<unknown>((at, key) => Object.entries(at ?? {}).find(([name]) => name === key)?.[1], described);

  test('describes every amount of the answers, with its sign if it can be negative', () => {
    const silent = new Set<string>();
    const seen = new Set<string>();
    const look = (value: unknown, place: string): void => {
      if (typeof value !== 'object' || value === null) return;
      for (const [key, inner] of Object.entries(value)) {
        if (key === '$ref') {
          if (seen.has(inner)) continue;
          seen.add(inner);
          look(pointedAt(inner), inner);
          continue;
        }
        const types = JSON.stringify(inner);
        if (key.endsWith('_minor') && types.includes('"integer"') && !types.includes('"description":'))
          silent.add(`${place} ${key}`);
        if (key !== 'example' && key !== 'examples') look(inner, place);
      }
    };
    for (const [path, operations] of own) look(operations, path);
    expect(seen.size).toBeGreaterThan(20);
    expect([...silent]).toEqual([]);
  });

  test('has no name of a tax', () => {
    expect(keysOf(described).filter((key) => /^(gst|bas|tax|ex_gst)$/i.test(key))).toEqual([]);
    expect(own.length).toBeGreaterThan(5);
    expect(
      own
        .flatMap(([path, operations]) => keysOf(operations).map((key) => `${path} ${key}`))
        .filter((line) => /[ _](gst|bas|tax)(_|$)/i.test(line.replace(/^\S+/, ''))),
    ).toEqual([]);
  });
});
