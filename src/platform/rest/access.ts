import type { Area } from '../../kernel/permissions.ts';

/** Access of routes that read an area. */
export const reads = (area: Area) =>
  ({ auth: 'seller', permission: `${area}:read`, rate: 'read', idempotency: 'none' }) as const;

/** Access of routes that write it; a key is taken where the client sends one. */
export const writes = (area: Area) =>
  ({ auth: 'seller', permission: `${area}:write`, rate: 'write', idempotency: 'optional' }) as const;
