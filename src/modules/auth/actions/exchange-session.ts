import type { MarketplaceIdentity, Recording } from '../../../kernel/context.ts';
import { coreErrors, fail } from '../../../kernel/errors.ts';
import { refuseAccount } from '../../../kernel/standing.ts';
import { resolveMember } from '../../../platform/crypto/resolve-member.ts';
import { SERVICE_TOKEN_SECONDS } from '../../../platform/crypto/service-tokens.ts';
import type { Services } from '../../../platform/services.ts';
import { openSession } from '../../sellers/index.ts';

/** The exchange is retried once if the member's roles change at the same time. */
const ATTEMPTS = 3;

export interface SessionTokenBody {
  readonly access_token: string;
  readonly token_type: 'bearer';
  readonly seller_id: string;
  readonly expires_in: number;
  readonly expires_at: string;
}

/**
 * Issues a service token for a marketplace identity. The entry of the
 * activity log is part of the transaction that opens the session.
 *
 * @param needsAal2 whether the session must be confirmed by a second factor
 * @throws ApiError 404 `seller_not_found`, 403 `insufficient_assurance|seller_suspended|seller_not_verified|api_access_disabled`
 */
export async function exchangeSession(
  services: Services,
  identity: MarketplaceIdentity,
  { auditAs, record, needsAal2 }: Recording & { readonly needsAal2: boolean },
): Promise<SessionTokenBody> {
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    const member = await resolveMember(services, identity, { auditAs, needsAal2 });
    refuseAccount(member);
    const { seller_id, member_id, roles, plan } = member;
    const sid = services.ids.next('ses_');
    const now = services.now();
    const created_at = new Date(now).toISOString();
    const expires_at = new Date(now + SERVICE_TOKEN_SECONDS * 1000).toISOString();
    const opened = await services.withSeller(seller_id, 'write', async (db) => {
      const at = { db, seller_id };
      const isOpen = await openSession(at, { member_id, sid, roles, created_at, expires_at });
      if (isOpen) await record(db, { status: 200 });
      return isOpen;
    });
    if (!opened) continue;
    const issued = await services.tokens.issue({ seller_id, member_id, sid, roles, plan });
    return { ...issued, token_type: 'bearer', seller_id };
  }
  throw fail(coreErrors.unavailable, { headers: { 'retry-after': '1' } });
}
