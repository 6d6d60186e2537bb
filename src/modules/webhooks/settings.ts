/** Settings of webhook deliveries. */
import { addressRanges, defineSettings, setting } from '../../kernel/setting.ts';

const ATTEMPTS_MAX = 50;
const DELAY_SECONDS_MAX = 30 * 86_400;

/** Seconds before each attempt. */
function parseSeconds(value: string): readonly number[] | undefined {
  const parts = value.split(',').map((part) => part.trim());
  const seconds = parts.map(Number);
  const fine = parts.every(
    (part, index) => /^\d{1,8}$/.test(part) && (seconds[index] ?? 0) <= DELAY_SECONDS_MAX,
  );
  return fine && parts.length <= ATTEMPTS_MAX ? seconds : undefined;
}

export const webhookSettings = defineSettings({
  WEBHOOK_RETRY_SCHEDULE: setting({
    doc: 'Seconds before each attempt of a webhook delivery, the first normally 0',
    allowed: 'up to 50 whole numbers of seconds, each at most 30 days, separated by commas',
    parse: parseSeconds,
    fallback: [0, 5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400],
  }),
  WEBHOOK_ALLOWED_CIDRS: addressRanges(
    'Address ranges that webhooks may reach although they are not public; never those of metadata services',
    '127.0.0.0/8',
  ),
});
