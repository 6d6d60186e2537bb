import { defineSettings, integer } from '../../kernel/setting.ts';

export const ledgerSettings = defineSettings({
  SETTLEMENT_HOLD_DAYS: integer(
    'Days from delivery until money is available, unless the marketplace has set another number for the seller',
    0,
    365,
    7,
  ),
});
