/** Roles and what each may do. Source: docs/design/wire.md#roles. */
export const AREAS = [
  'catalogue',
  'orders',
  'shipping',
  'finance',
  'team',
  'settings',
  'webhooks',
  'notifications',
  'support',
  'growth',
  'audit',
  'standing',
  'purchasing',
] as const;
export type Area = (typeof AREAS)[number];
export type Permission = `${Area}:${'read' | 'write'}`;

export const ROLES = ['owner', 'admin', 'catalogue', 'fulfilment', 'finance', 'support', 'viewer'] as const;
export type Role = (typeof ROLES)[number];

const read = (...areas: Area[]): Permission[] => areas.map((area): Permission => `${area}:read`);
const both = (...areas: Area[]): Permission[] =>
  areas.flatMap((area): Permission[] => [`${area}:read`, `${area}:write`]);

/** Each role is a fixed set; a member with several roles has their union. */
export const ROLE_PERMISSIONS: Readonly<Record<Role, readonly Permission[]>> = {
  owner: both(...AREAS),
  admin: both(...AREAS),
  catalogue: [...both('catalogue', 'notifications', 'purchasing'), ...read('orders', 'settings', 'growth')],
  fulfilment: [
    ...both('orders', 'shipping', 'notifications'),
    ...read('catalogue', 'settings', 'support', 'purchasing'),
  ],
  finance: [...both('finance', 'notifications'), ...read('orders', 'settings', 'audit', 'purchasing')],
  support: [...both('support', 'notifications'), ...read('catalogue', 'orders', 'shipping', 'settings')],
  viewer: read(
    'catalogue',
    'orders',
    'shipping',
    'finance',
    'settings',
    'support',
    'growth',
    'notifications',
    'purchasing',
  ),
};

/** Permissions of a set of roles, in a stable order. */
export function permissionsOf(roles: readonly Role[]): Permission[] {
  return [...new Set(roles.flatMap((role) => ROLE_PERMISSIONS[role]))].sort();
}
