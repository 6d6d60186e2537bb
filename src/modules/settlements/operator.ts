import type { Services } from '../../platform/services.ts';
import type { Operator } from './domain/operator.ts';

/** Stands in for the operator in development, where every setting has a default. The number is a well-known example. */
const EXAMPLE: Operator = {
  name: 'Example Marketplace Pty Ltd',
  abn: '51824753556',
  address: '1 Example Street, Sydney NSW 2000',
};

type Settings = Pick<
  Services['config'],
  'APP_ENV' | 'OPERATOR_LEGAL_NAME' | 'OPERATOR_ABN' | 'OPERATOR_ADDRESS'
>;

/** Who issues the documents; what is not configured is null. */
export function operatorOf(config: Settings): Operator {
  const { APP_ENV, OPERATOR_LEGAL_NAME, OPERATOR_ABN, OPERATOR_ADDRESS } = config;
  if (APP_ENV === 'development' && OPERATOR_LEGAL_NAME === undefined && OPERATOR_ABN === undefined)
    return EXAMPLE;
  return { name: OPERATOR_LEGAL_NAME ?? null, abn: OPERATOR_ABN ?? null, address: OPERATOR_ADDRESS ?? null };
}
