import { defineSettings, integer } from '../../kernel/setting.ts';

export const auditSettings = defineSettings({
  AUDIT_RETENTION_DAYS: integer('Days for which entries of the activity log are kept', 1, 36_500, 730),
});
