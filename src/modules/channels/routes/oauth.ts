import Type from 'typebox';
import { sha256Hex } from '../../../kernel/digest.ts';
import type { OkResponse, RouteResult } from '../../../kernel/route.ts';
import { defineRoute } from '../../../platform/http/define-route.ts';
import type { Services, WithServices } from '../../../platform/services.ts';
import { completeAuthorisation } from '../actions/complete-authorisation.ts';
import { newSecret, startAddress } from '../actions/connect.ts';
import { endPage, startPage, unknownPage } from '../domain/pages.ts';
import { scopesOf } from '../domain/topics.ts';
import { type StorePlatform, storePlatformOf } from '../settings.ts';
import { beginAuthorisation, findAuthorisation } from '../store/authorisations.ts';

const COOKIE_SECONDS = 600;
const open = { auth: 'public', rate: 'public', idempotency: 'none' } as const;
const html = (status: number, description: string, example: string): OkResponse => ({
  ...{ status, description, contentTypes: ['text/html'], media: { 'text/html': { example } } },
});
const unknown = html(404, 'The address does not work', unknownPage());
const EXAMPLE = {
  businessName: 'Mia Ceramics',
  shop: 'mia-ceramics.myshopify.com',
  scopes: scopesOf({ order_visibility: false }),
};
const ticket = Type.Object({ ticket: Type.String({ description: 'The secret of the start address' }) });

const isHttps = ({ config }: Services): boolean => config.PUBLIC_URL?.startsWith('https:') === true;
/** A browser takes the prefix on https only. */
const cookieName = (services: Services): string => (isHttps(services) ? '__Host-spp-oauth' : 'spp-oauth');
const cookieFor = (services: Services, value: string, seconds: number): string =>
  `${cookieName(services)}=${value}${isHttps(services) ? '; Secure' : ''}; HttpOnly; SameSite=Lax; Path=/; Max-Age=${seconds}`;

/** Headers of every page, and of every way from one to the next. */
const guarded = ({ formTargets }: StorePlatform) => ({
  'content-security-policy': `default-src 'none'; style-src 'unsafe-inline'; form-action 'self' ${formTargets}; base-uri 'none'; frame-ancestors 'none'`,
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
  'x-frame-options': 'DENY',
});

const pageOf = (platform: StorePlatform, status: number, data: string): RouteResult<undefined> => ({
  status,
  headers: guarded(platform),
  content: { type: 'text/html; charset=utf-8', data },
});

/** The authorisation of a start address that still works. */
const find = ({ withSystem, now }: Services, { ticket: secret }: { readonly ticket: string }) =>
  withSystem('connect-store', 'read', (db) =>
    findAuthorisation(db, sha256Hex(secret), new Date(now()).toISOString()),
  );

const start = defineRoute({
  id: 'channels.authorisations.get',
  method: 'GET',
  path: '/oauth/start/{ticket}',
  summary: 'The page before a store’s consent',
  description: 'Names the business, the store and what will be read. For browsers.',
  access: open,
  params: ticket,
  tx: 'own',
  ok: [html(200, 'The page', startPage(EXAMPLE)), unknown],
  errors: [],
  handler: async ({ services }: WithServices, { params }) => {
    const platform = storePlatformOf(services.config);
    const found = await find(services, params);
    if (found === undefined) return pageOf(platform, 404, unknownPage());
    const { business_name: businessName, shop_domain: shop } = found;
    return pageOf(platform, 200, startPage({ businessName, shop, scopes: scopesOf(found) }));
  },
});

/**
 * Whether a browser says that another site sent the form. Such a site would spare its visitor the page that names the
 * business. A browser that says nothing is old, or none.
 */
const isFromElsewhere = (site: string | string[] | undefined): boolean =>
  site !== undefined && site !== 'same-origin';

const begin = defineRoute({
  id: 'channels.authorisations.accept',
  method: 'POST',
  path: '/oauth/start/{ticket}',
  summary: 'Go to a store’s consent',
  description: 'Binds the authorisation to the browser by a cookie, and leads to the store. For browsers.',
  access: open,
  params: ticket,
  tx: 'own',
  ok: [{ status: 303, description: 'To the store, or back to the page' }, unknown],
  errors: [],
  handler: async ({ services }: WithServices, { params, headers }) => {
    const platform = storePlatformOf(services.config);
    const found = await find(services, params);
    if (found === undefined) return pageOf(platform, 404, unknownPage());
    if (isFromElsewhere(headers['sec-fetch-site']))
      return {
        status: 303,
        headers: { ...guarded(platform), location: startAddress(services.config, params.ticket) },
      };
    const [state, browser] = [newSecret(), newSecret()];
    await services.withSystem('connect-store', 'single', (db) =>
      beginAuthorisation(db, found.seller_id, sha256Hex(params.ticket), {
        state: sha256Hex(state),
        browser: sha256Hex(browser),
      }),
    );
    const query = new URLSearchParams({
      client_id: platform.clientId,
      scope: scopesOf(found).join(','),
      redirect_uri: platform.callbackUrl,
      state,
    });
    return {
      status: 303,
      headers: {
        ...guarded(platform),
        location: `${platform.addressOf(found.shop_domain)}/admin/oauth/authorize?${query}`,
        'set-cookie': cookieFor(services, browser, COOKIE_SECONDS),
      },
    };
  },
});

/** The value of a cookie. */
function cookieOf(header: string | string[] | undefined, name: string): string | undefined {
  const pairs = String(header ?? '')
    .split(';')
    .map((pair) => pair.trim());
  return pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1);
}

const resultOf = (code: string | null): string =>
  code === null ? 'connected' : code === 'denied' ? 'denied' : 'failed';

const callback = defineRoute({
  id: 'channels.authorisations.exchange',
  method: 'GET',
  path: '/oauth/callback/shopify',
  summary: 'Where a store sends the browser back',
  description:
    'Checks what the store signed, the state and the browser, and stores the access. Leads to the return address with `channel_id`, `result` (`connected`, `denied`, `failed`) and `code`, or shows a page.',
  access: open,
  ownQuery: true,
  tx: 'own',
  ok: [
    html(200, 'Connected', endPage(null)),
    { status: 303, description: 'To the return address' },
    html(400, 'Not connected; the page has the code', endPage('denied')),
  ],
  errors: [],
  handler: async ({ services }: WithServices, { search, headers }) => {
    const platform = storePlatformOf(services.config);
    const cookie = cookieOf(headers['cookie'], cookieName(services));
    const { code, channel_id, return_url } = await completeAuthorisation(services, search, cookie);
    // Anybody can lead a browser here; only a callback that used a state ends its cookie.
    const forget: Readonly<Record<string, string>> =
      channel_id === undefined ? {} : { 'set-cookie': cookieFor(services, '', 0) };
    if (return_url === null) {
      const page = pageOf(platform, code === null ? 200 : 400, endPage(code));
      return { ...page, headers: { ...page.headers, ...forget } };
    }
    const to = new URL(return_url);
    to.searchParams.set('channel_id', channel_id ?? '');
    to.searchParams.set('result', resultOf(code));
    if (code !== null) to.searchParams.set('code', code);
    return { status: 303, headers: { ...guarded(platform), ...forget, location: to.href } };
  },
});

export const oauthRoutes = [start, begin, callback];
