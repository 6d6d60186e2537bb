/** What the operator has set about settlements. */
import { minor } from '../../kernel/money.ts';
import type { Services } from '../../platform/services.ts';
import type { SettlementPolicy } from './actions/close-settlements.ts';

export const policyOf = ({ config }: Pick<Services, 'config'>): SettlementPolicy => ({
  schedule: config.SETTLEMENT_SCHEDULE,
  minimum: minor(config.SETTLEMENT_MIN_PAYOUT_MINOR),
});
