import { coreErrors, type ErrorDef } from '../../src/kernel/errors.ts';
import { PLAN_FEATURES, PLAN_LIMITS } from '../../src/kernel/plans.ts';
import type { ModuleDef } from '../../src/kernel/route.ts';
import { ROW_CODES } from '../../src/modules/products/domain/row-codes.ts';
import { planTable } from '../../src/platform/http/openapi/description.ts';
import {
  exampleOf,
  featureExample,
  limitExample,
  VALIDATION_EXAMPLE,
} from '../../src/platform/http/openapi/error-families.ts';
import { cell, code, json, page, table } from './markdown.ts';

interface Listed {
  readonly def: ErrorDef;
  readonly routes: string[];
}

/** Every declared error with the routes that list it. */
function declared(modules: readonly ModuleDef[]): Listed[] {
  const byCode = new Map<string, Listed>();
  const list = (def: ErrorDef): Listed => {
    const known = byCode.get(def.code) ?? { def, routes: [] };
    byCode.set(def.code, known);
    return known;
  };
  for (const def of Object.values(coreErrors)) list(def);
  for (const route of modules.flatMap(({ routes }) => routes)) {
    for (const def of route.errors) list(def).routes.push(route.id);
  }
  return [...byCode.values()].sort(
    (a, b) => a.def.status - b.def.status || (a.def.code < b.def.code ? -1 : 1),
  );
}

const core = new Set(Object.keys(coreErrors));

function errorTable(modules: readonly ModuleDef[]): string {
  return table(
    ['status', 'code', 'text', 'where'],
    declared(modules).map(({ def, routes }) => [
      String(def.status),
      code(def.code),
      cell(def.detail),
      core.has(def.code) ? 'by access, on any route' : routes.sort().map(code).join(', '),
    ]),
  );
}

function rowCodeTable(): string {
  return table(
    ['code', 'severity', 'text', 'what to do'],
    Object.entries(ROW_CODES)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, { severity, message, hint }]) => [code(name), severity, cell(message), cell(hint ?? '')]),
  );
}

/** docs/errors.md: families, codes, plan boundaries and row codes. */
export function errorsDoc(modules: readonly ModuleDef[]): string {
  const [feature = 'bulk_operations'] = Object.keys(PLAN_FEATURES) as (keyof typeof PLAN_FEATURES)[];
  const [limit = 'products'] = Object.keys(PLAN_LIMITS) as (keyof typeof PLAN_LIMITS)[];
  return page(
    'Errors',
    'A code never changes its meaning; texts are for people and may change.',
    `## Domain\n\n${json(exampleOf(coreErrors.not_found))}`,
    `## Request validation (422)\n\n${json(VALIDATION_EXAMPLE)}`,
    `## Plan boundary (402)\n\nStable: clients do not retry.\n\n${json(featureExample(feature))}\n\n${json(limitExample(limit))}\n\n${planTable()}`,
    `## Codes\n\n${errorTable(modules)}`,
    `## Row codes\n\nWhat a row result of a feed, an issue of a product or a field of a 422 may carry; the feed contract publishes the same list.\n\n${rowCodeTable()}`,
  );
}
