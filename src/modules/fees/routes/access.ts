/** `finance:read` reads fees, in every plan (docs/design/wire.md#plans). */
export const access = {
  auth: 'seller',
  permission: 'finance:read',
  rate: 'read',
  idempotency: 'none',
} as const;
