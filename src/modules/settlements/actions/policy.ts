import type { Configuration } from '../../../kernel/context.ts';
import { minor } from '../../../kernel/money.ts';
import type { Operator } from '../domain/operator.ts';
import { settlementSettings } from '../settings.ts';
import type { SettlementPolicy } from './close-settlements.ts';

/** The operator's settings about settlements. */
export function policyOf({ config }: { readonly config: Configuration }): SettlementPolicy {
  const { SETTLEMENT_SCHEDULE, SETTLEMENT_MIN_PAYOUT_MINOR } = settlementSettings.of(config);
  return { schedule: SETTLEMENT_SCHEDULE, minimum: minor(SETTLEMENT_MIN_PAYOUT_MINOR) };
}

/** The operator in development, where every setting has a default. The number is a well-known example. */
const EXAMPLE: Operator = {
  name: 'Example Marketplace Pty Ltd',
  abn: '51824753556',
  address: '1 Example Street, Sydney NSW 2000',
};

/** The operator, who issues the documents. A setting that is missing is null. */
export function operatorOf(config: Configuration): Operator {
  const { OPERATOR_LEGAL_NAME, OPERATOR_ABN, OPERATOR_ADDRESS } = settlementSettings.of(config);
  const isDevelopment = config['APP_ENV'] === 'development';
  if (isDevelopment && OPERATOR_LEGAL_NAME === undefined && OPERATOR_ABN === undefined) return EXAMPLE;
  return { name: OPERATOR_LEGAL_NAME ?? null, abn: OPERATOR_ABN ?? null, address: OPERATOR_ADDRESS ?? null };
}
