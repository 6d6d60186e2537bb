/** Access of the routes of shipping. */
export const read = {
  auth: 'seller',
  permission: 'shipping:read',
  rate: 'read',
  idempotency: 'none',
} as const;
export const write = {
  auth: 'seller',
  permission: 'shipping:write',
  rate: 'write',
  idempotency: 'optional',
} as const;
