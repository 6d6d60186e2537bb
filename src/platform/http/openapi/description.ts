/** The introduction of the API description: the conventions of the contract, and the list of areas. */
import { PLAN_FEATURES, PLAN_LIMITS, PLANS } from '../../../kernel/plans.ts';
import type { ModuleDef } from '../../../kernel/route.ts';
import { API_PREFIX } from '../../../kernel/route-path.ts';
import { PAGE_LIMIT_DEFAULT, PAGE_LIMIT_MAX } from '../../../kernel/schema.ts';

const row = (...cells: readonly string[]): string => `| ${cells.join(' | ')} |`;

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

/** The areas of the specification, and whether each is available. */
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

const CONVENTIONS = `The seller-facing API of a marketplace. Every protected operation acts for the seller of the token; no parameter switches the seller.

## Authentication
Exchange the marketplace session at \`POST /api/v1/auth/exchange\` and send the answer's \`access_token\` as \`Authorization: Bearer …\`. The token lives for minutes: exchange again when a request answers 401 \`token_expired\`. Outside production \`POST /api/v1/auth/token\` takes a user name and a password instead.

## Values
JSON in snake_case. Instants are RFC 3339 in UTC (\`…_at\`), dates are Australia/Sydney dates (\`…_on\`). Money is a whole number of minor units (\`…_minor\`: 2499 is 24.99) with \`currency\` and \`currency_exponent\`. Ids are opaque text. Unknown query parameters and unknown body keys are 422.

## Lists
A list answers \`{"data": […], "page": {"limit", "next_cursor", "has_more"}}\`. \`limit\` is 1 to ${PAGE_LIMIT_MAX} and defaults to ${PAGE_LIMIT_DEFAULT}. To read the next page send \`next_cursor\` as \`cursor\` with the same filters. The newest rows come first unless the operation says otherwise.

## Safe retries
\`Idempotency-Key\` makes a write safe to repeat: the first answer comes again with \`Idempotent-Replayed: true\`. A different request with the same key is 409 \`idempotency_key_reused\`; while the first request still runs, 409 \`idempotency_in_progress\`. After 422, 500, 503 and 504 the key is free again.

## Changes by others
A change can be bound to the version that you have read. Send one of two: \`version\` in the body of an order action (every list, event and answer shows it; a mismatch is 409 \`version_conflict\`), or \`If-Match\` with the \`ETag\` of a read on any other change (a mismatch is 412 \`precondition_failed\`). Order actions accept \`If-Match\` too; prefer \`version\` there. Neither replaces \`Idempotency-Key\`, which guards against sending the same request twice. \`If-None-Match\` on a read answers 304 while nothing has changed.

## Errors
Most errors are \`{"detail", "code", "request_id"}\` with facts beside them. A request of the wrong form is 422 with a list under \`detail\`. The plan answers 402, which is not worth a retry. Feeds answer with their row results. Retry 429, 503 and 504 after \`Retry-After\` with backoff, and 500 with backoff. Every error response lists its codes in \`x-codes\`, with an example for each.

## Events
Every event goes to the webhook endpoints that subscribe to its type, signed by Standard Webhooks 1.0.

## Headers of every answer
\`X-Request-Id\` names the request in logs and in error bodies. \`RateLimit-Policy\` and \`RateLimit\` hold the limit and what is left of it; limits apply to each seller and class of operation (\`x-rate-class\`). \`X-Api-Stage: beta\` marks the answers of areas that are not stable yet. Operations list only the headers beside these and \`Idempotent-Replayed\` (\`x-common-headers\`).

## HEAD and areas
Every GET also answers HEAD: the same checks and headers without a body. An area that is not available answers 404 \`module_unavailable\`; \`GET /api/v1/billing/entitlements\` lists all areas.`;

/** Text of `info.description`. */
export function describe(): string {
  return `${CONVENTIONS}\n\n## Plans\n\n${planTable()}\n`;
}
