/**
 * Security schemes. Neither token is accepted in the other's place.
 * Source: docs/design/wire.md#service-tokens.
 */
import type { Access } from '../../../kernel/route.ts';
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
};

const REQUIREMENTS: Readonly<Record<Access['auth'], readonly Json[]>> = {
  seller: [{ serviceToken: [] }],
  marketplace: [{ marketplaceToken: [] }],
  public: [],
};

export const securityOf = (access: Access): readonly Json[] => REQUIREMENTS[access.auth];
