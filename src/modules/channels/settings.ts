/** Settings of the store platform. */
import type { Configuration } from '../../kernel/context.ts';
import { coreErrors, fail } from '../../kernel/errors.ts';
import { API_PREFIX } from '../../kernel/route-path.ts';
import { defineSettings, isPrivateUrl, list, setting, text } from '../../kernel/setting.ts';

/** Stands in an address for the domain of a store. */
const HOLE = '{shop}';
const SOME_SHOP = 'a.myshopify.com';

const addressOf = (template: string, shop: string): string => template.replace(HOLE, shop);

export const channelSettings = defineSettings(
  {
    STORE_PLATFORM_CLIENT_ID: text(
      'Client id of the app at the store platform (Shopify); absent: no store can be connected, in development those of the demo',
    ),
    STORE_PLATFORM_SECRETS: list(
      'Client secrets of that app; comma-separated while rotating, the first is sent, all verify signatures',
      { secret: true },
    ),
    STORE_PLATFORM_API_VERSION: text('Version of the store platform’s admin API', {
      allowed: 'a version like 2026-10',
      parse: (value) => (/^\d{4}-\d\d$|^unstable$/.test(value) ? value : undefined),
      fallback: '2026-10',
    }),
    STORE_PLATFORM_BASE_URL: setting({
      doc: 'Address of a store, with `{shop}` in the place of its domain; another one than the default is for tests',
      allowed: 'an https or http address with {shop} in it',
      parse: (value: string) =>
        value.includes(HOLE) && /^https?:\/\//.test(value) && URL.canParse(addressOf(value, SOME_SHOP))
          ? value.replace(/\/+$/, '')
          : undefined,
      fallback: `https://${HOLE}`,
    }),
  },
  (values) => {
    const { STORE_PLATFORM_CLIENT_ID: id, STORE_PLATFORM_SECRETS: secrets } = values;
    // A value that was refused is undefined here.
    const { STORE_PLATFORM_BASE_URL: base = '' } = values;
    const address = addressOf(base, SOME_SHOP);
    const inProduction = Reflect.get(values, 'APP_ENV') === 'production';
    return [
      ...(id !== undefined && secrets.length === 0
        ? ['STORE_PLATFORM_SECRETS: missing; STORE_PLATFORM_CLIENT_ID is set']
        : []),
      ...(base === '' || (inProduction ? address.startsWith('https:') : isPrivateUrl(address))
        ? []
        : [`STORE_PLATFORM_BASE_URL: allowed: https${inProduction ? '' : ', or http on loopback'}`]),
    ];
  },
);

/** The store platform as the operator has configured it. */
export interface StorePlatform {
  readonly clientId: string;
  /** The first is sent, all verify. */
  readonly secrets: readonly [string, ...string[]];
  readonly apiVersion: string;
  /** The address of a store, without a slash at its end. */
  readonly addressOf: (shop: string) => string;
  /** Sources of the addresses to which a page may send its form. */
  readonly formTargets: string;
  /** The address after the consent, and the one of deliveries. */
  readonly callbackUrl: string;
  readonly receiverUrl: string;
}

/** Whether the operator has configured a store platform. */
export const hasStorePlatform = (config: Configuration): boolean =>
  channelSettings.of(config).STORE_PLATFORM_CLIENT_ID !== undefined;

/** @throws ApiError 404 `module_unavailable` when the operator has configured none */
export function storePlatformOf(config: Configuration): StorePlatform {
  const {
    STORE_PLATFORM_CLIENT_ID: clientId,
    STORE_PLATFORM_SECRETS: [first, ...others],
    STORE_PLATFORM_API_VERSION: apiVersion,
    STORE_PLATFORM_BASE_URL: template,
  } = channelSettings.of(config);
  if (clientId === undefined || first === undefined)
    throw fail(coreErrors.module_unavailable, {
      detail: 'The operator has configured no store platform.',
      facts: { module: 'channels', availability: 'unavailable' },
    });
  const own = `${String(config['PUBLIC_URL'])}${API_PREFIX}`;
  return {
    clientId,
    secrets: [first, ...others],
    apiVersion,
    addressOf: (shop) => addressOf(template, shop),
    formTargets: `https://*.myshopify.com ${new URL(addressOf(template, SOME_SHOP)).origin}`,
    callbackUrl: `${own}/channels/oauth/callback/shopify`,
    receiverUrl: `${own}/webhooks/shopify`,
  };
}
