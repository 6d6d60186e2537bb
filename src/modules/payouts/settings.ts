import { defineSettings, isPrivateUrl, list, oneOf, text, url } from '../../kernel/setting.ts';

const TEST_KEY = /^[a-z]{2}_test_/;
const isHttps = (address: string): boolean => new URL(address).protocol === 'https:';

export const payoutSettings = defineSettings(
  {
    PAYMENT_PROVIDER: oneOf(
      'Who pays sellers: `manual`: the marketplace itself; `stripe`: the service, through the provider',
      ['manual', 'stripe'],
      'manual',
    ),
    PAYMENT_PROVIDER_API_KEY: text('Secret key of the payment provider; needed for `stripe`', {
      secret: true,
    }),
    PAYMENT_PROVIDER_WEBHOOK_SECRETS: list(
      'Signing secrets of the provider’s callbacks: of the platform and of connected accounts, all count',
      { secret: true },
    ),
    PAYMENT_PROVIDER_API_BASE: url(
      'Address of the payment provider’s API; other than the default in tests only',
      ['http://', 'https://'],
      { fallback: 'https://api.stripe.com' },
    ),
  },
  (values) => {
    const {
      PAYMENT_PROVIDER,
      PAYMENT_PROVIDER_API_KEY: key,
      PAYMENT_PROVIDER_WEBHOOK_SECRETS: secrets,
      PAYMENT_PROVIDER_API_BASE: base,
    } = values;
    const needed = PAYMENT_PROVIDER === 'stripe';
    const inProduction = Reflect.get(values, 'APP_ENV') === 'production';
    return [
      ...(needed && key === undefined
        ? ['PAYMENT_PROVIDER_API_KEY: missing; PAYMENT_PROVIDER is stripe']
        : []),
      ...(needed && secrets.length === 0
        ? ['PAYMENT_PROVIDER_WEBHOOK_SECRETS: missing; PAYMENT_PROVIDER is stripe']
        : []),
      ...(inProduction && key !== undefined && TEST_KEY.test(key)
        ? ['PAYMENT_PROVIDER_API_KEY: a test key is refused in production; allowed: a live key']
        : []),
      // A value that was refused is undefined here.
      ...(base === undefined || (inProduction ? isHttps(base) : isPrivateUrl(base))
        ? []
        : ['PAYMENT_PROVIDER_API_BASE: allowed: https, or outside production http on loopback']),
    ];
  },
);
