import type { HandlerCtx } from '../../../platform/services.ts';
import { requireSeller } from '../../sellers/index.ts';
import { type AgreementStatus, dueAt, statusOf } from '../domain/duty.ts';
import { statementFor } from '../domain/receipt.ts';
import { type Acceptance, acceptanceOf, lastAcceptance } from '../store/acceptances.ts';
import { type AgreementVersion, newestVersion } from '../store/versions.ts';

interface AgreementState {
  readonly status: AgreementStatus;
  readonly newest: AgreementVersion | undefined;
  readonly accepted: Acceptance | undefined;
  readonly due_at: string | null;
  /** Whether the account may change anything. */
  readonly is_active: boolean;
  /** Whether this member may accept the newest version now. */
  readonly can_accept: boolean;
  readonly statement: string;
}

/** Computed from the versions and the acceptances, so it is right even before the worker has sent the event. */
export async function readStatus(ctx: HandlerCtx): Promise<AgreementState> {
  const { business_name, created_at, registered_at } = await requireSeller(ctx);
  const statement = statementFor(business_name);
  const newest = await newestVersion(ctx.db);
  const last = await lastAcceptance(ctx);
  const is_active = (await ctx.standing()).status === 'active';
  if (newest === undefined)
    return {
      ...{ status: 'none_published', newest, accepted: last, due_at: null },
      ...{ is_active, can_accept: false, statement },
    };
  const ofNewest = last?.version === newest.version ? last : await acceptanceOf(ctx, newest.version);
  const isAccepted = ofNewest !== undefined;
  const due = dueAt(newest, { newest: isAccepted, ever: last !== undefined }, registered_at ?? created_at);
  return {
    status: statusOf(due, ctx.now()),
    newest,
    accepted: ofNewest ?? last,
    due_at: due === null ? null : new Date(due).toISOString(),
    is_active,
    can_accept: !isAccepted && is_active && ctx.seller.roles.includes('owner'),
    statement,
  };
}
