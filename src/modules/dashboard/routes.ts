import Type from 'typebox';
import { defineRoute, okJson } from '../../platform/http/define-route.ts';
import { readAsOf, readOverview } from '../account/index.ts';
import { qualityAtAGlance } from '../quality/index.ts';
import { accountScope, currencyQuery, figures } from '../reconciliation/index.ts';
import { activeHolds, policyOf } from '../settlements/index.ts';
import { attentionOf } from './domain/attention.ts';
import {
  CONTRACT,
  LINKS,
  NEEDS,
  NOT_RECORDED,
  PARTS,
  type Part,
  SUMMARY_EXAMPLE,
  Summary,
} from './schemas.ts';
import { ordersInNeed, readWaiting } from './store/waiting.ts';

const summary = defineRoute({
  id: 'dashboard.summary.get',
  method: 'GET',
  path: '/summary',
  summary: 'Money and work at a glance',
  description:
    'Every role may read it. A part whose permission the token lacks is null and named in `withheld_components`; it is never zero. `links` name the routes that show each part in full; `attention` has what waits for the seller, each with its list.',
  access: { auth: 'seller', permission: 'settings:read', rate: 'read', idempotency: 'none' },
  ...figures,
  query: Type.Object(currencyQuery),
  ok: okJson('The summary', Summary, SUMMARY_EXAMPLE),
  errors: [],
  handler: async (ctx, { query }) => {
    const { permissions } = ctx.seller;
    const withheld = PARTS.filter((part) => !permissions.includes(NEEDS[part]));
    const shown = <T>(part: Part, value: T) => (withheld.includes(part) ? null : value);
    const overview = async () => {
      const of = await accountScope(ctx, query.currency);
      return readOverview(of, readAsOf(undefined, ctx.now()), policyOf(ctx).schedule);
    };
    const [finance, waiting, inNeed, holds, quality] = await Promise.all([
      overview(),
      readWaiting(ctx, ctx.now()),
      ordersInNeed(ctx),
      activeHolds(ctx),
      qualityAtAGlance(ctx),
    ]);
    const { stock, integrations, messages, feeds, orders, due } = waiting;
    const attention = [
      ...inNeed,
      { kind: 'messages_overdue', count: messages.answers_overdue, due_at: due.answer },
      { kind: 'messages_waiting', count: messages.waiting, due_at: due.answer },
      { kind: 'settlement_held', count: holds.length, due_at: null },
      { kind: 'metric_missed', count: quality.metrics_missed, due_at: null },
      { kind: 'product_not_ready', count: quality.not_ready, due_at: null },
      { kind: 'product_out_of_stock', count: stock.out_of_stock, due_at: null },
      { kind: 'product_at_reorder_point', count: stock.at_reorder_point, due_at: null },
      { kind: 'issue_open', count: integrations.open_issues, due_at: null },
      { kind: 'endpoint_failing', count: integrations.failing_endpoints, due_at: null },
    ];
    const missing = [...(withheld.includes('finance') ? [] : finance.missing_components), ...NOT_RECORDED];
    return {
      body: {
        finance: shown('finance', finance),
        orders: shown('orders', orders),
        feeds: shown('feeds', feeds),
        messages: shown('messages', messages),
        settlement_holds: shown('settlement_holds', [...new Set(holds.map(({ reason }) => reason))]),
        stock: shown('stock', stock),
        quality: shown('quality', quality),
        integrations: shown('integrations', integrations),
        attention: attentionOf(attention, permissions),
        withheld_components: withheld,
        links: LINKS,
        generated_at: finance.generated_at,
        semantic_status: missing.length === 0 ? ('complete' as const) : ('partial' as const),
        cache_status: 'live' as const,
        source_contract: CONTRACT,
        missing_components: missing,
      },
    };
  },
});

export const routes = [summary];
