/** Turns findings into errors: 422 for the request itself, 409 for conflicts with other products. */
import {
  type ApiError,
  coreErrors,
  type ErrorDef,
  type FieldProblem,
  fail,
  invalid,
  tierLimitExceeded,
} from '../../../kernel/errors.ts';
import { type Plan, planLimit } from '../../../kernel/plans.ts';
import type { RowMessage } from '../domain/row.ts';
import { wholeText } from '../domain/row-codes.ts';
import { errors } from '../errors.ts';

/** Codes of conflicts with other products. */
const CONFLICTS: Readonly<Record<string, ErrorDef>> = {
  sku_exists: errors.sku_exists,
  sku_taken: errors.sku_exists,
  mpn_brand_conflict: errors.mpn_brand_conflict,
  stock_mirrored: errors.stock_mirrored,
  sku_not_found: coreErrors.not_found,
};

const PLAN_FULL = 'plan_limit_reached';

/** `identity.value` is a path of two steps. The name of an attribute may contain dots. */
function pathOf(column: string | undefined): string[] {
  if (column === undefined) return [];
  const point = column.indexOf('.');
  return point === -1 ? [column] : [column.slice(0, point), column.slice(point + 1)];
}

/**
 * One entry of a 422 body; `type` is the code of the finding
 * (docs/design/feeds-and-imports.md#identity).
 */
export function toProblem(message: RowMessage, base: readonly (string | number)[] = ['body']): FieldProblem {
  return {
    loc: [...base, ...pathOf(message.column)],
    msg: wholeText(message),
    type: message.code,
    ...(message.value_excerpt === undefined ? {} : { input: message.value_excerpt }),
  };
}

/**
 * The error of a rejected write: errors of the request come first, then the plan, then conflicts
 * (docs/design/wire.md#order-of-checks).
 *
 * @param usage the plan and the number of its products, for the 402 of a full plan
 */
export function refusal(
  messages: readonly RowMessage[],
  usage: { readonly plan: Plan; readonly used: number },
): ApiError {
  const found = messages.filter(({ severity }) => severity === 'error');
  const sent = found.filter(({ code }) => code !== PLAN_FULL && CONFLICTS[code] === undefined);
  if (sent.length > 0) return invalid(sent.map((message) => toProblem(message)));
  if (found.some(({ code }) => code === PLAN_FULL)) {
    return tierLimitExceeded(usage.plan, 'products', Math.max(usage.used, planLimit(usage.plan, 'products')));
  }
  const conflict = CONFLICTS[found[0]?.code ?? ''];
  return fail(conflict ?? coreErrors.conflict);
}

export function warningsOf(messages: readonly RowMessage[]): RowMessage[] {
  return messages.filter(({ severity }) => severity !== 'error');
}
