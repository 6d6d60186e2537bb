import type { Area } from '../../kernel/permissions.ts';
import type { SellerAccess } from '../../kernel/route.ts';

/** Which tokens a route takes. `setup` is for routes that a seller needs before it is verified. */
type Auth = SellerAccess['auth'];

/** Access of routes that read an area. */
export const reads = (area: Area, auth: Auth = 'seller') =>
  ({ auth, permission: `${area}:read`, rate: 'read', idempotency: 'none' }) as const;

/** Access of routes that write an area. The idempotency key is optional. */
export const writes = (area: Area, auth: Auth = 'seller') =>
  ({ auth, permission: `${area}:write`, rate: 'write', idempotency: 'optional' }) as const;
