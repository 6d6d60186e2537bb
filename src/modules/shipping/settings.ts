/** Settings of the carrier account. */
import { defineSettings, integer, isPrivateUrl, text, url } from '../../kernel/setting.ts';

const ACCOUNT = ['CARRIER_API_KEY', 'CARRIER_API_PASSWORD', 'CARRIER_API_ACCOUNT'] as const;

export const shippingSettings = defineSettings(
  {
    CARRIER_API_BASE_URL: url(
      'Address of the Shipping and Tracking API of Australia Post; https, or http on loopback',
      ['http://', 'https://'],
      { fallback: 'https://digitalapi.auspost.com.au/shipping/v1' },
    ),
    CARRIER_API_KEY: text('API key of the carrier account; absent: the carrier is never called', {
      secret: true,
    }),
    CARRIER_API_PASSWORD: text('Password of the API key', { secret: true }),
    CARRIER_API_ACCOUNT: text('Number of the carrier account', {
      allowed: 'digits',
      parse: (value) => (/^\d{1,20}$/.test(value) ? value : undefined),
    }),
    CARRIER_API_TIMEOUT_MS: integer('How long one call of the carrier may take', 100, 20_000, 5_000),
  },
  (values) => {
    const missing = ACCOUNT.filter((name) => values[name] === undefined);
    const half = missing.length > 0 && missing.length < ACCOUNT.length;
    return [
      ...(isPrivateUrl(values.CARRIER_API_BASE_URL)
        ? []
        : ['CARRIER_API_BASE_URL: allowed: https, or http on loopback']),
      ...(half ? missing.map((name) => `${name}: missing; the others of the three are set`) : []),
    ];
  },
);
