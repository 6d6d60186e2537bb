import type { Standing } from '../../kernel/context.ts';
import { coreErrors, fail, featureNotAvailable } from '../../kernel/errors.ts';
import { planHasFeature } from '../../kernel/plans.ts';
import { isSellerAccess } from '../../kernel/route.ts';
import { refuseOverdue } from '../../kernel/standing.ts';
import type { Exchange } from './exchange.ts';

/** The flag of the account that the route needs. */
export const flagOf = ({ access, mounted: { module } }: Exchange): string | undefined =>
  isSellerAccess(access) ? (access.module ?? (module.accountGated ? module.name : undefined)) : undefined;

/**
 * Refuses what the account may not use. Each read of the standing checks it again, because a plan may change while the
 * body of a request arrives.
 *
 * @throws ApiError 403 `module_unavailable`, `agreement_required`, 402 `feature_not_available`
 */
export function refuseAccount(exchange: Exchange, standing: Standing): void {
  const { access, deps, permitted, mounted } = exchange;
  const { module } = mounted;
  const flag = flagOf(exchange);
  if (flag !== undefined && !standing.account_flags.includes(flag))
    throw fail(coreErrors.module_unavailable, {
      detail: `${module.title} is not enabled for this account; the marketplace enables it.`,
      facts: { module: module.name, availability: 'account' },
    });
  if (!permitted || !isSellerAccess(access)) return;
  if (access.growsCatalogue === true) refuseOverdue(standing, deps.services.now());
  if (access.plan !== undefined && !planHasFeature(standing.plan, access.plan))
    throw featureNotAvailable(standing.plan, access.plan);
}
