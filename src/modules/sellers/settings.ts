/** Settings of the Australian Business Register. */
import type { Configuration } from '../../kernel/context.ts';
import { defineSettings, text, url } from '../../kernel/setting.ts';

export const sellerSettings = defineSettings({
  ABR_GUID: text(
    'Registered GUID of the Australian Business Register service; absent: the register is not asked',
    { secret: true },
  ),
  ABR_BASE_URL: url('Address of the Australian Business Register service', ['http://', 'https://'], {
    fallback: 'https://abr.business.gov.au',
  }),
});

/** Whether the service can ask the register. */
export const asksRegister = (config: Configuration): boolean =>
  sellerSettings.of(config).ABR_GUID !== undefined;
