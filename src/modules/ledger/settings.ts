import { defineSettings, integer } from '../../kernel/setting.ts';

export const ledgerSettings = defineSettings({
  SETTLEMENT_HOLD_DAYS: integer(
    'Days from delivery until money is available, where the marketplace set none for the seller',
    0,
    365,
    7,
  ),
});
