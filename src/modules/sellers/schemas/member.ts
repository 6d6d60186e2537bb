import Type from 'typebox';
import { ROLES } from '../../../kernel/permissions.ts';
import { Instant, Nullable, StringEnum } from '../../../kernel/schema.ts';

export const MEMBER_STATUSES = ['invited', 'active', 'removed'] as const;

export const Roles = Type.Array(StringEnum(ROLES), { minItems: 1, uniqueItems: true });

export const Member = Type.Object(
  {
    member_id: Type.String(),
    sub: Nullable(Type.String({ description: 'Marketplace identity, once it is known' })),
    email: Nullable(Type.String()),
    roles: Type.Array(StringEnum(ROLES)),
    permissions: Type.Array(Type.String(), { description: 'What the roles allow together' }),
    status: StringEnum(MEMBER_STATUSES, {
      description: 'invited: may join by exchanging a marketplace session of this identity',
    }),
    invited_by: Nullable(Type.String({ description: 'Member who invited; null for the one who registered' })),
    created_at: Instant(),
    updated_at: Instant(),
  },
  { title: 'Member' },
);

export const MEMBER_EXAMPLE = {
  member_id: 'mbr_01j0000000000000000000000',
  sub: null,
  email: 'kim@example.com',
  roles: ['finance' as const],
  permissions: ['audit:read', 'finance:read', 'finance:write', 'orders:read', 'settings:read'],
  status: 'invited' as const,
  invited_by: 'mbr_01h0000000000000000000000',
  created_at: '2026-06-28T01:00:00.000Z',
  updated_at: '2026-06-28T01:00:00.000Z',
};
