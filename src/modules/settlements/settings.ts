/** Settings of settlements, and who operates the marketplace. */
import { checkAbn } from '../../kernel/australia/abn.ts';
import { SETTLEMENT_SCHEDULES } from '../../kernel/australia/settlement-period.ts';
import { defineSettings, integer, oneOf, setting, text } from '../../kernel/setting.ts';

export const settlementSettings = defineSettings({
  OPERATOR_LEGAL_NAME: text(
    'Legal name of the marketplace’s operator, which issues the fee invoices; without it none is rendered outside development',
  ),
  OPERATOR_ABN: setting({
    doc: 'Business number of the operator; without it no tax invoice is rendered',
    allowed: 'an ABN with right check digits',
    parse: (value) => (checkAbn(value).checksum_valid ? checkAbn(value).normalised : undefined),
  }),
  OPERATOR_ADDRESS: text('Address of the operator on fee invoices, on one line'),
  SETTLEMENT_SCHEDULE: oneOf(
    'Length of a settlement period; every period lies in one month',
    SETTLEMENT_SCHEDULES,
    'semi_monthly',
  ),
  SETTLEMENT_MIN_PAYOUT_MINOR: integer(
    'Smallest payout in minor units, unless the marketplace has set another for the seller; a smaller amount is carried forward',
    0,
    1_000_000_000,
    100,
  ),
});
