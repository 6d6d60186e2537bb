/** Opens and resolves the issues of a product that was applied, and collects what was found. */
import type { Acting } from '../../../kernel/context.ts';
import type { FeedRow, WrittenStoreRow } from '../../products/index.ts';
import type { Choice } from '../domain/choose-product.ts';
import type { FieldDifference } from '../domain/merge-product.ts';
import type { MergedRow } from '../domain/merge-row.ts';
import type { StoreProduct, StoreVariant } from '../domain/store-product.ts';
import type { IssueFacts } from '../schemas/issue.ts';
import type { ChannelRow } from '../store/channels.ts';
import type { DeliveryMessage } from '../store/deliveries.ts';
import type { LinkRow } from '../store/links.ts';
import { openIssue, resolveIssue, resolveOpen } from './issues.ts';
import { currencyIssue, fieldConflict, identityConflict, notApplied } from './product-issues.ts';

/** Why something was not applied. */
export interface Fault {
  readonly code: string;
  readonly detail: string;
}

/** What became of a variant. */
export interface VariantResult {
  readonly variant: StoreVariant;
  readonly row: FeedRow;
  readonly plan:
    | Choice
    | { readonly kind: 'skip'; readonly outcome: string }
    | { readonly kind: 'fault'; readonly fault: Fault };
  readonly merged?: MergedRow;
  readonly result: WrittenStoreRow | undefined;
  readonly fault: Fault | undefined;
  readonly before: LinkRow | undefined;
  readonly after: LinkRow;
}

interface Report {
  readonly messages: DeliveryMessage[];
  /** The first issue that waits for a person. */
  readonly issue_id: string | null;
}

const MESSAGES_MAX = 100;

const factsOf = ({ external_product_id }: StoreProduct, { variant, after }: VariantResult): IssueFacts => ({
  ...{ external_product_id, external_variant_id: variant.external_variant_id, title: after.title },
  ...(after.external_sku !== null && { sku: after.external_sku }),
});

const replacedMessage =
  (product_id: string) =>
  ({ field, here, store }: FieldDifference): DeliveryMessage => ({
    ...{ code: 'edit_replaced', severity: 'warning', product_id, field, before: here, after: store },
    message: 'The value of the store has replaced a value that was edited here.',
  });

function messagesOf({ row, result, merged, after, fault }: VariantResult): DeliveryMessage[] {
  const { product_id } = after;
  const found = (result?.plan.messages ?? row.messages).map(({ code, severity, column, message }) => ({
    ...{ code, severity, message },
    ...(product_id !== null && { product_id }),
    ...(column !== undefined && { field: column }),
  }));
  const isTold = fault === undefined || found.some(({ code }) => code === fault.code);
  return [
    ...(isTold ? [] : [{ code: fault.code, severity: 'error' as const, message: fault.detail }]),
    ...found,
    ...(product_id === null || merged === undefined ? [] : merged.replaced.map(replacedMessage(product_id))),
  ];
}

/** The issues of one variant. @returns those that wait */
async function reportVariant(ctx: Acting, product: StoreProduct, one: VariantResult): Promise<string[]> {
  const { plan, merged, after, fault } = one;
  const facts = factsOf(product, one);
  const open: string[] = [];
  if (plan.kind === 'conflict')
    open.push(await openIssue(ctx, identityConflict(after), facts, { candidates: plan.candidates }));
  if (merged !== undefined && fault === undefined) {
    const { conflicts } = merged;
    const { product_id } = after;
    if (conflicts.length > 0)
      open.push(
        await openIssue(ctx, fieldConflict(after), { ...facts, fields: [...conflicts] }, { product_id }),
      );
  }
  return open;
}

export async function reportProduct(
  ctx: Acting,
  { channel_id, currency }: ChannelRow,
  product: StoreProduct,
  { results, priced }: { readonly results: readonly VariantResult[]; readonly priced: boolean },
): Promise<Report> {
  const open: string[] = [];
  for (const one of results) open.push(...(await reportVariant(ctx, product, one)));
  const linked = results.filter(
    ({ plan, before, after }) => before && after.product_id && plan.kind !== 'conflict',
  );
  await resolveOpen(
    ctx,
    channel_id,
    linked.map(({ after }) => identityConflict(after)),
    'linked',
  );
  const inStep = linked.filter(({ merged, fault }) => merged?.conflicts.length === 0 && fault === undefined);
  await resolveOpen(
    ctx,
    channel_id,
    inStep.map(({ after }) => fieldConflict(after)),
    'in_step',
  );
  const failed = results.find(({ fault }) => fault !== undefined);
  const whole = notApplied(channel_id, product.external_product_id);
  if (failed?.fault !== undefined)
    open.push(await openIssue(ctx, whole, { ...factsOf(product, failed), ...failed.fault }));
  else await resolveIssue(ctx, whole, 'applied');
  const money = currencyIssue(channel_id);
  if (priced) await resolveIssue(ctx, money, 'applied');
  else
    open.push(
      await openIssue(ctx, money, {
        code: 'currency_mismatch',
        detail: `The store’s prices are in ${currency}, which is not your currency; prices are not taken.`,
      }),
    );
  return { messages: results.flatMap(messagesOf).slice(0, MESSAGES_MAX), issue_id: open[0] ?? null };
}
