/** Settings of the Australian Business Register. */
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
