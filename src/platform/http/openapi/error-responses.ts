/** The errors of a route as OpenAPI responses: one for each status, with a named example for each code. */
import { STATUS_CODES } from 'node:http';
import { coreErrors, type ErrorDef } from '../../../kernel/errors.ts';
import type { FeatureName, LimitName } from '../../../kernel/plans.ts';
import { type AnyRoute, isSellerAccess, type ModuleDef } from '../../../kernel/route.ts';
import { compact, type Json, ref } from './document.ts';
import {
  codeField,
  exampleOf,
  factSchema,
  familyOf,
  featureExample,
  limitExample,
  VALIDATION_EXAMPLE,
} from './error-families.ts';
import { errorHeaders } from './headers.ts';
import { implicitErrors } from './implicit-errors.ts';

/** One error of a route. */
interface Refusal {
  readonly status: number;
  readonly code: string;
  readonly detail: string;
  readonly family: string;
  readonly example: Json;
  readonly facts?: ErrorDef['facts'];
}

/** The code without the part that distinguishes its examples. */
const bareCode = (code: string): string => code.split('.', 1)[0] ?? '';

const fromDef = (def: ErrorDef): Refusal => ({ ...def, family: familyOf(def), example: exampleOf(def) });

/**
 * The error family of a route that reads its body itself. Errors of idempotency keys also have this family there.
 */
const ownFamily = (route: AnyRoute): string | undefined =>
  route.body?.kind === 'stream' && route.tx === 'own'
    ? route.errors.map(familyOf).find((family) => family !== 'ApiError')
    : undefined;

const inFamily = (def: ErrorDef, family: string): Refusal => ({
  ...def,
  code: `${def.code}.feed`,
  family,
  example: exampleOf(def, family),
});

const VALIDATION: Refusal = {
  status: 422,
  code: 'validation_error',
  detail: 'The request does not have the form that the route takes.',
  family: 'ValidationError',
  example: VALIDATION_EXAMPLE,
};

const featureRefusal = (feature: FeatureName, detail: string): Refusal => ({
  status: 402,
  family: 'FeatureNotAvailable',
  code: `feature_not_available.${feature}`,
  detail,
  example: featureExample(feature),
});

const limitRefusal = (limit: LimitName): Refusal => ({
  status: 402,
  family: 'TierLimitExceeded',
  code: `tier_limit_exceeded.${limit}`,
  detail: 'The plan allows no more of these.',
  example: limitExample(limit),
});

function planRefusals({ access }: AnyRoute): Refusal[] {
  if (!isSellerAccess(access)) return [];
  const { plan, planOption, limit } = access;
  return [
    ...(plan === undefined ? [] : [featureRefusal(plan, 'The plan does not have this feature.')]),
    ...(planOption === undefined
      ? []
      : [featureRefusal(planOption, 'The plan does not include what the request needs.')]),
    ...(limit === undefined ? [] : [limitRefusal(limit)]),
  ];
}

const KEY_CODES = new Set([coreErrors.idempotency_key_reused.code, coreErrors.idempotency_in_progress.code]);

function refusalsOf(module: ModuleDef, route: AnyRoute): Refusal[] {
  const family = ownFamily(route);
  const general = implicitErrors(module, route).map((def) =>
    family !== undefined && KEY_CODES.has(def.code) ? inFamily(def, family) : fromDef(def),
  );
  const all = [...general, ...route.errors.map(fromDef), ...planRefusals(route), VALIDATION];
  return [...new Map(all.map((refusal) => [refusal.code, refusal])).values()];
}

const unique = <T>(values: readonly T[]): T[] => [...new Set(values)];

/** The schema of the family with the codes and the facts of this response. */
function narrowed(family: string, refusals: readonly Refusal[]): Json {
  const facts = refusals.flatMap((refusal) => Object.entries(refusal.facts ?? {}));
  const properties = {
    [codeField(family)]: { type: 'string', enum: unique(refusals.map(({ code }) => bareCode(code))) },
    ...Object.fromEntries(facts.map(([name, example]) => [name, factSchema(name, example)])),
  };
  return { allOf: [ref('schemas', family), { type: 'object', properties }] };
}

const CONSTANT_FAMILIES = new Set(['ValidationError', 'FeatureNotAvailable', 'TierLimitExceeded']);

function bodySchema(refusals: readonly Refusal[]): Json {
  const families = unique(refusals.map(({ family }) => family));
  if (families.includes('FeatureNotAvailable') && families.includes('TierLimitExceeded'))
    return ref('schemas', 'PlanBoundary');
  const schemas = families.map((family) =>
    CONSTANT_FAMILIES.has(family)
      ? ref('schemas', family)
      : narrowed(
          family,
          refusals.filter((refusal) => refusal.family === family),
        ),
  );
  return schemas.length === 1 && schemas[0] !== undefined ? schemas[0] : { anyOf: schemas };
}

function response(status: number, refusals: readonly Refusal[]): Json {
  const codes = refusals.map(({ code }) => code);
  const [only] = refusals;
  return compact({
    // If there are several codes, their examples have the texts.
    description: (refusals.length === 1 && only?.detail) || STATUS_CODES[status],
    headers: errorHeaders(status, codes),
    content: {
      'application/json': {
        schema: bodySchema(refusals),
        examples: Object.fromEntries(refusals.map(({ code, example }) => [code, { value: example }])),
      },
    },
    'x-codes': unique(codes.map(bareCode)),
  });
}

/** The error responses of a route by status. */
export type ErrorResponses = (module: ModuleDef, route: AnyRoute) => Json;

/** @throws Error if two different errors have one code */
export function createErrorResponses(): ErrorResponses {
  const seen = new Map<string, string>();
  return (module, route) => {
    const byStatus: Record<string, Refusal[]> = {};
    for (const refusal of refusalsOf(module, route)) {
      const { code, status } = refusal;
      const example = JSON.stringify(refusal.example);
      if ((seen.get(code) ?? example) !== example)
        throw new Error(`two different errors have the code ${code}; declare it once`);
      seen.set(code, example);
      byStatus[status] = [...(byStatus[status] ?? []), refusal];
    }
    return Object.fromEntries(
      Object.entries(byStatus).map(([status, refusals]) => [
        status,
        // One order of the codes, so that responses with the same codes are equal and shared.
        response(
          Number(status),
          refusals.toSorted((a, b) => (a.code < b.code ? -1 : 1)),
        ),
      ]),
    );
  };
}
