import { defineSettings, integer, oneOf } from '../../kernel/setting.ts';
import { attachmentSettings } from '../../platform/attachments/settings.ts';

export const kycSettings = defineSettings({
  KYC_REQUIRED: oneOf(
    'Whether the identity of every seller that registers is verified',
    ['on', 'off'],
    'off',
  ),
  KYC_RETENTION_DAYS: integer(
    'Days that documents of an approved case are kept after the account was closed',
    0,
    36_500,
    2_555,
  ),
  ...attachmentSettings.table,
});
