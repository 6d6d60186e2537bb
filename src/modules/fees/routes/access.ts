/** Fees are read by whoever reads money, in every plan (contract section 4). */
export const access = {
  auth: 'seller',
  permission: 'finance:read',
  rate: 'read',
  idempotency: 'none',
} as const;
