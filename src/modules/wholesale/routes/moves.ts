/** What the seller does with an order, and its history. */

import Type from 'typebox';
import { ApiError, coreErrors, requireFound } from '../../../kernel/errors.ts';
import { rehearse } from '../../../platform/db/savepoint.ts';
import { defineRoute, okJson } from '../../../platform/http/define-route.ts';
import { reads, writes } from '../../../platform/rest/access.ts';
import { keyed } from '../../../platform/rest/keyed.ts';
import { pageRoute } from '../../../platform/rest/page-route.ts';
import type { HandlerCtx } from '../../../platform/services.ts';
import { supplyErrors } from '../../supply/index.ts';
import { cancelUnits, closeOrder } from '../actions/end.ts';
import { showRead } from '../actions/show-purchase.ts';
import { repriceDraft, submitDraft } from '../actions/submit.ts';
import { wholesaleErrors } from '../errors.ts';
import {
  CANCEL_EXAMPLE,
  CancelInput,
  CancelResult,
  CloseInput,
  HISTORY_EXAMPLE,
  HistoryEntry,
  Submission,
  toEntry,
} from '../schemas/moves.ts';
import { ORDER_PARAMS } from '../schemas/orders.ts';
import { historyOf, purchases } from '../store/orders.ts';
import { answer, changed, lineErrors, lockAsked, onePath, orderOk } from './orders.ts';

const write = writes('purchasing');
export const dryRun = Type.Object({
  dry_run: Type.Optional(
    Type.Boolean({ description: 'Answers as the action would, and changes nothing; a key stays free' }),
  ),
});
type Trial = { readonly dry_run?: boolean | undefined };

/** Runs a change; a dry run is rolled back. */
export const tried = <T>({ db }: HandlerCtx, { dry_run }: Trial, run: () => Promise<T>): Promise<T> =>
  dry_run === true ? rehearse(db, run) : run();
/** Marks the answer of a dry run. */
export const marked = ({ dry_run }: Trial): { readonly headers?: Readonly<Record<string, string>> } =>
  dry_run === true ? { headers: { 'dry-run': 'true' } } : {};

const submit = defineRoute({
  id: 'wholesale.purchase_orders.submit',
  method: 'POST',
  path: `${onePath}/submit`,
  params: ORDER_PARAMS,
  query: dryRun,
  summary: 'Submit a purchase order',
  description:
    'The supplier gets the order with the total that you have seen: if a price or the freight has changed since, 409 `price_changed` says what, the draft gets the new amounts, and the next submission goes through. Without `ship_to` the goods go to the dispatch address of your profile. The supplier may answer until `answer_by`, the end of the fifth business day in Sydney.',
  access: write,
  tx: 'own',
  rehearsable: true,
  body: { kind: 'json', schema: Submission, example: { expected_total_minor: 75_190 } },
  ok: orderOk,
  errors: [
    ...changed,
    ...lineErrors,
    supplyErrors.too_many_open,
    wholesaleErrors.price_changed,
    wholesaleErrors.freight_not_stated,
    wholesaleErrors.order_below_minimum,
    wholesaleErrors.address_missing,
  ],
  handler: async (ctx, { params, query, headers, body, key, signal }) => {
    try {
      return await keyed(ctx, { key, signal }, (own) =>
        tried(own, query, async () => {
          const draft = await lockAsked(own, params, headers);
          return { ...answer(await showRead(own, await submitDraft(own, draft, body))), ...marked(query) };
        }),
      );
    } catch (error) {
      const isRepriced = error instanceof ApiError && error.code === wholesaleErrors.price_changed.code;
      if (isRepriced && query.dry_run !== true)
        await ctx.transaction('write', (db) => repriceDraft(ctx.in(db), params.purchase_order_id));
      throw error;
    }
  },
});

const cancel = defineRoute({
  id: 'wholesale.purchase_orders.cancel',
  method: 'POST',
  path: `${onePath}/cancel`,
  params: ORDER_PARAMS,
  summary: 'Cancel units of a purchase order',
  description:
    'Units that the supplier has not confirmed are cancelled at once. About confirmed ones the supplier is asked; they stay owed until it agrees.',
  access: write,
  body: { kind: 'json', schema: CancelInput, example: { reason: 'Found elsewhere' } },
  ok: okJson('What was cancelled', CancelResult, CANCEL_EXAMPLE),
  errors: [...changed, wholesaleErrors.quantity_exceeds_outstanding],
  handler: async (ctx, { params, headers, body }) => ({
    body: await cancelUnits(ctx, await lockAsked(ctx, params, headers), body),
  }),
});

const close = defineRoute({
  id: 'wholesale.purchase_orders.close',
  method: 'POST',
  path: `${onePath}/close`,
  params: ORDER_PARAMS,
  summary: 'Close a purchase order',
  description: 'You await nothing more: what is owed is cancelled, and the supplier is told.',
  access: write,
  body: { kind: 'json', schema: CloseInput, example: { reason: 'not_coming' } },
  ok: orderOk,
  errors: changed,
  handler: async (ctx, { params, headers, body }) => {
    const after = await closeOrder(ctx, await lockAsked(ctx, params, headers), body.reason);
    return answer(await showRead(ctx, after));
  },
});

const history = pageRoute({
  id: 'wholesale.purchase_order_history.list',
  path: `${onePath}/history`,
  summary: 'Read the history of a purchase order',
  description: 'What happened, by when the service learnt of it, the newest first.',
  access: reads('purchasing'),
  params: ORDER_PARAMS,
  schema: HistoryEntry,
  example: HISTORY_EXAMPLE,
  errors: [coreErrors.not_found],
  read: async (ctx, { after, limit }, { purchase_order_id = '' }) => {
    requireFound(await purchases.find(ctx, { purchase_order_id }));
    return historyOf(ctx, purchase_order_id, { after, limit });
  },
  position: ({ recorded_at, fact_id }) => [recorded_at, fact_id],
  view: toEntry,
});

export const moveRoutes = [submit, cancel, close, history];
