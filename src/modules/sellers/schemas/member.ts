import Type from 'typebox';
import { ROLES } from '../../../kernel/permissions.ts';
import { Instant, Nullable, StringEnum } from '../../../kernel/schema.ts';

const MEMBER_STATUSES = ['invited', 'active', 'removed'] as const;

export const Role = StringEnum(ROLES, { title: 'Role', description: 'A role of a team member' });
export const Roles = Type.Array(Role, {
  minItems: 1,
  uniqueItems: true,
  description: 'Roles of the member; together they give the permissions',
});
export const MemberStatus = StringEnum(MEMBER_STATUSES, {
  title: 'MemberStatus',
  description: 'State of a team member; `invited`: joins by accepting the link that the marketplace sends',
});

export const Member = Type.Object(
  {
    member_id: Type.String(),
    sub: Nullable(Type.String({ description: 'Marketplace identity, once it is known' })),
    email: Nullable(Type.String({ description: 'E-mail address; null for a member by identity' })),
    roles: Type.Array(Role, { description: 'Roles of the member' }),
    permissions: Type.Array(Type.String(), { description: 'What the roles allow together' }),
    status: MemberStatus,
    invited_by: Nullable(Type.String({ description: 'Member who invited; null for the one who registered' })),
    invitation_expires_at: Nullable(
      Instant({
        description: 'Until when the invitation can be accepted; null: the person has joined or left',
      }),
    ),
    created_at: Instant(),
    updated_at: Instant(),
  },
  { title: 'Member', description: 'A member of the seller’s team.' },
);

export const MEMBER_EXAMPLE = {
  member_id: 'mbr_01j0000000000000000000000',
  sub: null,
  email: 'kim@example.com',
  roles: ['finance' as const],
  permissions: ['audit:read', 'finance:read', 'finance:write', 'orders:read', 'settings:read'],
  status: 'invited' as const,
  invited_by: 'mbr_01h0000000000000000000000',
  invitation_expires_at: '2026-07-05T01:00:00.000Z',
  created_at: '2026-06-28T01:00:00.000Z',
  updated_at: '2026-06-28T01:00:00.000Z',
};
