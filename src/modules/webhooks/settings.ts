/** Settings of webhook deliveries. */
import { addressRanges, defineSettings, setting } from '../../kernel/setting.ts';
import { parseRanges, type Range } from '../../platform/net/classify-address.ts';
import type { Services } from '../../platform/services.ts';

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
    'Address ranges that webhooks may reach although they are not public; never those of metadata services. Without a value: none, in development loopback',
    '127.0.0.0/8',
  ),
});

const LOOPBACK = ['127.0.0.0/8', '::1/128'];

/** The ranges that are open beside the public addresses. In development a receiver may run on the same machine. */
export function openedRanges(config: Services['config']): Range[] {
  const { WEBHOOK_ALLOWED_CIDRS: given } = webhookSettings.of(config);
  return parseRanges(given.length === 0 && config.APP_ENV === 'development' ? LOOPBACK : given);
}
