import type { Acting, AuditNote, Db } from '../../kernel/context.ts';
import { command } from '../db/statement.ts';

export const ACTOR_KINDS = ['member', 'marketplace', 'channel', 'provider', 'operator'] as const;
export const RESULTS = ['done', 'refused', 'replayed'] as const;

/** One entry of the activity log. It has names and numbers, never the values of a request. */
export interface Activity extends AuditNote {
  readonly actor_kind: (typeof ACTOR_KINDS)[number];
  /** Id of the member, the channel or the operator; null for the marketplace and the provider. */
  readonly actor_id?: string | null;
  readonly roles?: readonly string[] | null;
  /** Authenticator assurance level of the session. */
  readonly aal?: string | null;
  /** The id of the route, or the type of the event or callback. */
  readonly action: string;
  readonly result: (typeof RESULTS)[number];
  /** HTTP status, if there was a request. */
  readonly status?: number | null;
  readonly ip_prefix?: string | null;
  readonly user_agent_family?: string | null;
}

type Recorded = Pick<Acting, 'seller_id' | 'ids' | 'at' | 'correlation'> & { readonly db: Db };

/**
 * Writes one entry of a seller's activity log in the transaction of `ctx`, which is that of the effect: both exist or
 * neither. The mount calls it for every write route. Work outside of a seller's request calls it once for each decision
 * that changed something: the intake for an event, the worker of a receiver for a delivery or callback.
 * Source: docs/design/activity-log.md.
 *
 * ```ts
 * await recordActivity(ctx, {
 *   actor_kind: 'channel',
 *   actor_id: channel_id,
 *   action: 'channels.delivery.apply',
 *   target_type: 'product',
 *   target_id: product_id,
 *   result: 'done',
 *   changed_fields: ['title'],
 * });
 * ```
 *
 * @param ctx seller, transaction and request id; `acting` makes it
 */
export async function recordActivity(ctx: Recorded, entry: Activity): Promise<void> {
  const { changed_fields, counts, roles } = entry;
  ctx.db.later(command`
    insert into audit_entry
           (seller_id, audit_id, at, actor_kind, actor_id, roles, aal, action, target_type, target_id, result,
            status, code, changed_fields, counts, request_id, ip_prefix, user_agent_family)
    values (${ctx.seller_id}, ${ctx.ids.next('aud_')}, ${ctx.at()}, ${entry.actor_kind},
            ${entry.actor_id ?? null}, ${roles ?? null}, ${entry.aal ?? null}, ${entry.action},
            ${entry.target_type ?? null}, ${entry.target_id ?? null}, ${entry.result},
            ${entry.status ?? null}, ${entry.code ?? null}, ${changed_fields ?? null},
            ${counts === undefined ? null : JSON.stringify(counts)}, ${ctx.correlation.request_id},
            ${entry.ip_prefix ?? null}, ${entry.user_agent_family ?? null})`);
}
