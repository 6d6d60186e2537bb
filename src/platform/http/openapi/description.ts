/** What a reader must know before the first route: the conventions of the contract, and the map of areas. */
import { PLAN_FEATURES, PLAN_LIMITS, PLANS } from '../../../kernel/plans.ts';
import type { ModuleDef } from '../../../kernel/route.ts';
import { API_PREFIX } from '../../../kernel/route-path.ts';
import { PAGE_LIMIT_DEFAULT, PAGE_LIMIT_MAX } from '../../../kernel/schema.ts';

export const row = (...cells: readonly string[]): string => `| ${cells.join(' | ')} |`;

/** A table in Markdown. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [row(...head), row(...head.map(() => '---')), ...rows.map((cells) => row(...cells))].join('\n');
}

/** Plans with their limits and features, one column each. */
export function planTable(): string {
  const limits = Object.entries(PLAN_LIMITS).map(([name, { title, values }]) => [
    `\`${name}\``,
    title,
    ...PLANS.map((plan) => values[plan].toLocaleString('en-AU')),
  ]);
  const features = Object.entries(PLAN_FEATURES).map(([name, { title, values }]) => [
    `\`${name}\``,
    title,
    ...PLANS.map((plan) => (values[plan] ? 'yes' : 'no')),
  ]);
  return table(['name', 'meaning', ...PLANS], [...limits, ...features]);
}

/** The areas of the specification and what stands behind each. */
export function areaTable(modules: readonly ModuleDef[]): string {
  const areas = modules.filter(({ base }) => base !== '');
  return table(
    ['area', 'base path', 'availability', 'what it is'],
    areas.map((module) => [
      module.title,
      `\`${API_PREFIX}${module.base}\``,
      `${module.availability}${module.accountGated ? ', by account' : ''}`,
      module.summary,
    ]),
  );
}

const CONVENTIONS = `The seller-facing API of a marketplace. Every protected route is scoped to the seller of the token; no parameter switches the seller.

## Authentication
Exchange the marketplace session at \`POST /api/v1/auth/exchange\` and send the answer's \`access_token\` as \`Authorization: Bearer …\`. It lives for minutes: exchange again when a request answers 401. A 401 names its reason in \`code\`.

## Values
JSON in snake_case. Instants are RFC 3339 in UTC (\`…_at\`), dates are Australia/Sydney dates (\`…_on\`). Money is a whole number of minor units (\`…_minor\`) with \`currency\` and \`currency_exponent\`. Identifiers are opaque. Unknown query parameters and unknown body keys are 422. An area that is not available yet answers 404 \`module_unavailable\`.

## Lists
\`{"data": […], "page": {"limit", "next_cursor", "has_more"}}\`; \`limit\` from 1 to ${PAGE_LIMIT_MAX}, ${PAGE_LIMIT_DEFAULT} by default. Send \`next_cursor\` back as \`cursor\` with the same filters. Newest first unless the route says otherwise.

## Safe repetition
\`Idempotency-Key\` makes a write safe to repeat: the first answer comes again with \`Idempotent-Replayed: true\`. Another request under the same key is 409 \`idempotency_key_reused\`; while the first still runs, 409 \`idempotency_in_progress\`. A validation failure and 500, 503 and 504 free the key.

## Versions of a resource
A read of one resource carries a strong \`ETag\`. \`If-None-Match\` answers 304; \`If-Match\` on a change answers 412 when somebody else changed it first.

## HEAD
Every GET is answered to HEAD too: the same checks and headers, no body, and for a file no length.

## Errors
Domain errors are \`{"detail", "code", "request_id"}\` with documented facts beside them; validation failures are 422 with a list under \`detail\`; the plan answers 402 and is not worth retrying; feeds answer with their row results. Retry 429, 503 and 504 after \`Retry-After\` with backoff, 500 with backoff.

## Rate limits
By class of route and seller; \`RateLimit-Policy\` and \`RateLimit\` on every response tell the live numbers.`;

/** Text of `info.description`. */
export function describe(modules: readonly ModuleDef[]): string {
  return `${CONVENTIONS}\n\n## Plans\n\n${planTable()}\n\n## Areas\n\n${areaTable(modules)}\n`;
}
