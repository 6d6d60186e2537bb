/**
 * Security schemes. Neither token is accepted in place of the other, but the routes of a seller's setup accept both.
 * Source: docs/design/wire.md#service-tokens.
 */
import type { Access } from '../../../kernel/route.ts';
import { API_PREFIX } from '../../../kernel/route-path.ts';
import type { Json } from './document.ts';

export const SECURITY_SCHEMES: { readonly [name: string]: Json } = {
  serviceToken: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description:
      'The service token of `POST /api/v1/auth/exchange`: short-lived and bound to one seller. Keep it out of logs, URLs, source control and screenshots.',
  },
  marketplaceToken: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description: 'The access token of the marketplace session of the signed-in seller.',
  },
  developmentLogin: {
    type: 'oauth2',
    description:
      'Outside production only: user name and password of the marketplace, answered with a service token. Production clients use the exchange.',
    flows: { password: { tokenUrl: `${API_PREFIX}/auth/token`, scopes: {} } },
  },
};

/** The default for operations without a security requirement. */
export const SELLER_SECURITY: readonly Json[] = [{ serviceToken: [] }, { developmentLogin: [] }];

const REQUIREMENTS: Readonly<Record<Access['auth'], readonly Json[] | undefined>> = {
  seller: undefined,
  setup: [...SELLER_SECURITY, { marketplaceToken: [] }],
  marketplace: [{ marketplaceToken: [] }],
  public: [],
};

export const securityOf = (access: Access): readonly Json[] | undefined => REQUIREMENTS[access.auth];
