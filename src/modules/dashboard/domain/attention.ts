/** What needs the seller's attention, as data: how grave it is, who may see it, and where its list is. */
import type { Severity } from '../../../kernel/events.ts';
import type { Permission } from '../../../kernel/permissions.ts';

interface KindOfAttention {
  readonly severity: Severity;
  readonly needs: Permission;
  /** Path of the list that it counts. */
  readonly href: string;
}

const order = (attention: string, severity: Severity): KindOfAttention => ({
  severity,
  needs: 'orders:read',
  href: `/api/v1/orders?attention=${attention}`,
});
const KINDS = {
  order_late: order('late', 'critical'),
  order_oversold: order('oversold', 'critical'),
  order_dispute_open: order('dispute_open', 'critical'),
  order_acceptance_due: order('acceptance_due', 'warning'),
  order_cancel_requested: order('cancel_requested', 'warning'),
  order_return_requested: order('return_requested', 'warning'),
  order_delivery_failed: order('delivery_failed', 'warning'),
  order_returned_to_sender: order('returned_to_sender', 'warning'),
  order_lost: order('lost', 'warning'),
  order_unknown_sku: order('unknown_sku', 'warning'),
  order_payment_pending: order('payment_pending', 'info'),
  messages_overdue: {
    severity: 'critical',
    needs: 'support:read',
    href: '/api/v1/messages/threads?overdue=true',
  },
  messages_waiting: {
    severity: 'warning',
    needs: 'support:read',
    href: '/api/v1/messages/threads?waiting_on=seller',
  },
  settlement_held: { severity: 'critical', needs: 'finance:read', href: '/api/v1/financials/holds' },
  metric_missed: { severity: 'critical', needs: 'orders:read', href: '/api/v1/quality/seller-metrics' },
  product_not_ready: {
    severity: 'warning',
    needs: 'catalogue:read',
    href: '/api/v1/quality/products?ready=false',
  },
  product_out_of_stock: {
    severity: 'warning',
    needs: 'catalogue:read',
    href: '/api/v1/products/inventory?out_of_stock=true',
  },
  product_at_reorder_point: {
    severity: 'info',
    needs: 'catalogue:read',
    href: '/api/v1/products/inventory?low_stock=true',
  },
  issue_open: { severity: 'warning', needs: 'catalogue:read', href: '/api/v1/channels/issues?state=open' },
  endpoint_failing: {
    severity: 'critical',
    needs: 'webhooks:read',
    href: '/api/v1/webhooks/endpoints?failing=true',
  },
} as const satisfies Readonly<Record<string, KindOfAttention>>;
type Kind = keyof typeof KINDS;
export const KIND_NAMES = Object.keys(KINDS) as Kind[];
const isKind = (kind: string): kind is Kind => Object.hasOwn(KINDS, kind);

/** Counts that grow with the catalogue end here: a count of so many takes milliseconds. */
export const COUNT_MAX = 10_000;

const ATTENTION_MAX = 10;
const RANK: Readonly<Record<Severity, number>> = { critical: 0, warning: 1, info: 2 };
/** What has no deadline comes after what has one. */
const NO_DEADLINE = '~';

interface Counted {
  readonly kind: string;
  readonly count: number | null;
  /** The earliest deadline, RFC 3339; null without any. */
  readonly due_at: string | null;
}

/** What a token may see of it, by severity, then by deadline. */
export const attentionOf = (counted: readonly Counted[], permissions: readonly Permission[]) =>
  counted
    .flatMap(({ kind, count, due_at }) => {
      if (!isKind(kind) || count === null || count === 0) return [];
      const { needs, ...rest } = KINDS[kind];
      return permissions.includes(needs) ? [{ kind, ...rest, count, due_at }] : [];
    })
    .sort(
      (a, b) =>
        RANK[a.severity] - RANK[b.severity] ||
        ((a.due_at ?? NO_DEADLINE) < (b.due_at ?? NO_DEADLINE) ? -1 : 1),
    )
    .slice(0, ATTENTION_MAX);
