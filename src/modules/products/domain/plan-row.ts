/**
 * Plans the effect of one row on one product, without the database. Previews, runs and requests use the same plan, so
 * a preview shows exactly what the run does.
 */
import { limitSentence } from '../../../kernel/plans.ts';
import { identityEvidence, NO_MATCH, type RowMatch } from './identity/evidence.ts';
import { diffProduct } from './plan/changes.ts';
import { checkAmounts } from './plan/check-amounts.ts';
import { refuseRow, withKnownSku } from './plan/check-row.ts';
import { curationAfter } from './plan/curation.ts';
import { draftProduct } from './plan/draft-product.ts';
import { issuesAfter, missingForStatus } from './plan/issues.ts';
import type { PlanContext, PlanInput, RowPlan } from './plan/plan-context.ts';
import type { CatalogueProduct, StoredIdentity } from './product.ts';
import type { RowMessage } from './row.ts';
import { hasError, type RowCode, rowMessage } from './row-codes.ts';

/** Refusals of rows without a product; nothing else can be said of them. */
const NAMES_NO_PRODUCT: ReadonlySet<string> = new Set<RowCode>(['sku_not_found', 'sku_exists']);

/** @param existing the product of the row; `null` when the catalogue does not have it */
export function planRow(
  existing: CatalogueProduct | null,
  input: PlanInput,
  context: PlanContext,
  match: RowMatch = NO_MATCH,
): RowPlan {
  const { patch, role } = input;
  if (role === 'ignored' || role === 'merged') return noEffect(role, input.messages);
  const messages = input.messages.slice();
  const rejected = () => reject(existing, messages, match);
  if (patch === null) return rejected();
  const refusal = refuseRow(existing, patch, role, context, match);
  // A column with an error has a finding already.
  const isTold = messages.some(({ severity, column }) => severity === 'error' && column === refusal?.column);
  if (refusal !== null && !isTold) messages.push(refusal);
  if (NAMES_NO_PRODUCT.has(refusal?.code ?? '')) return rejected();
  const known = withKnownSku(existing, patch, context, messages);
  const draft = draftProduct(existing, known, role, context, match, messages);
  const slots = countedSlots(draft) - countedSlots(existing);
  if (hasError(messages)) {
    // All faults of a row are reported at once, so that one correction is enough.
    reportMissing(draft, context, messages);
    return rejected();
  }
  draft.issues = issuesAfter(draft, setsIssues(existing, draft, role, context) ? input.messages : null);
  Object.assign(draft, curationAfter(existing, draft, context.reviewed_fields));
  if (existing === null) draft.product_id = context.nextProductId();
  const changes = diffProduct(existing, draft);
  if (existing !== null && existing.status === 'archived' && draft.status === 'archived') {
    messages.push(rowMessage('product_archived'));
  }
  if (changes.length === 0) {
    return {
      ...noEffect('unchanged', messages),
      identity_resolution: evidence(draft.identity, match, draft),
    };
  }
  reportMissing(draft, context, messages);
  if (slots > 0 && context.remaining_slots <= 0) {
    const message = `No more products are possible: ${limitSentence(context.tier, 'products')}.`;
    messages.push(rowMessage('plan_limit_reached', { message }));
  }
  if (hasError(messages)) return rejected();
  checkAmounts(existing, draft, context, messages);
  if (existing?.curation_state === 'approved' && draft.curation_state === 'pending') {
    messages.push(rowMessage('curation_required'));
  }
  draft.version += 1;
  draft.source_origin = context.source_origin;
  draft.source_run_id = context.run_id;
  draft.source_row = input.row_number;
  return {
    outcome: outcomeOf(existing, draft, role),
    next: draft,
    changes,
    messages,
    identity_resolution: evidence(draft.identity, match, draft),
    slots: slots > 0 ? 1 : slots < 0 ? -1 : 0,
  };
}

/**
 * Whether the findings of the row become issues of the product. They do for a new product, and for one whose key came
 * from the same import profile. Files of other profiles and native exports leave the issues unchanged.
 */
function setsIssues(
  existing: CatalogueProduct | null,
  draft: CatalogueProduct,
  role: PlanInput['role'],
  { profile }: PlanContext,
): boolean {
  return role === 'staged' && (existing === null || draft.external_profile === profile);
}

function outcomeOf(
  existing: CatalogueProduct | null,
  next: CatalogueProduct,
  role: PlanInput['role'],
): RowPlan['outcome'] {
  if (existing === null) {
    const waits = next.status === 'draft' && (role === 'staged' || next.identity === null);
    return waits ? 'staged' : 'created';
  }
  const ended = next.status === 'inactive' || next.status === 'archived';
  return existing.status === 'active' && ended ? 'deactivated' : 'updated';
}

/** Adds the requirements that a product lacks for its status, except for columns with an error of their own. */
function reportMissing(draft: CatalogueProduct, context: PlanContext, messages: RowMessage[]): void {
  const { fields, identity } = context.columns;
  const faulty = new Set(
    messages.filter(({ severity }) => severity === 'error').map(({ column }) => column ?? undefined),
  );
  if (faulty.has(fields.status)) return;
  const columnsOf = (key: ReturnType<typeof missingForStatus>[number]['key']): readonly string[] =>
    key === 'identity' ? [fields.identity, ...Object.values(identity)] : [fields[key]];
  const hints = {
    required_missing: 'Add it, or set status to draft.',
    identity_required:
      `Fill in ${identity.value}, or ${identity.mpn} and ${identity.brand}, or ${identity.reason}; ` +
      'or set status to draft.',
    sku_required: undefined,
  } as const;
  for (const { key, code, message } of missingForStatus(draft)) {
    if (columnsOf(key).some((column) => faulty.has(column))) continue;
    messages.push(rowMessage(code, { column: fields[key], message, hint: hints[code] }));
  }
}

/** Archived products do not count (docs/design/wire.md#plans). */
function countedSlots(product: CatalogueProduct | null): number {
  return product === null || product.status === 'archived' ? 0 : 1;
}

function reject(
  existing: CatalogueProduct | null,
  messages: readonly RowMessage[],
  match: RowMatch,
): RowPlan {
  return {
    ...noEffect('rejected', messages),
    identity_resolution: evidence(existing?.identity ?? null, match, existing),
  };
}

function evidence(identity: StoredIdentity | null, match: RowMatch, product: CatalogueProduct | null) {
  if (identity === null && match.matched_by === null && match.candidates.length === 0) return null;
  return identityEvidence(identity, match, product?.product_id ?? null);
}

function noEffect(outcome: RowPlan['outcome'], messages: readonly RowMessage[]): RowPlan {
  return { outcome, next: null, changes: [], messages, identity_resolution: null, slots: 0 };
}
