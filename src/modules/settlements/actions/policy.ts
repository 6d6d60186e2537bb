import type { Configuration } from '../../../kernel/context.ts';
import { minor } from '../../../kernel/money.ts';
import { settlementSettings } from '../settings.ts';
import type { SettlementPolicy } from './close-settlements.ts';

/** The operator's settings about settlements. */
export function policyOf({ config }: { readonly config: Configuration }): SettlementPolicy {
  const { SETTLEMENT_SCHEDULE, SETTLEMENT_MIN_PAYOUT_MINOR } = settlementSettings.of(config);
  return { schedule: SETTLEMENT_SCHEDULE, minimum: minor(SETTLEMENT_MIN_PAYOUT_MINOR) };
}
