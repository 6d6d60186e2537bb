import Type, { type Static } from 'typebox';
import { coreErrors, invalid } from '../../../kernel/errors.ts';
import { idOf } from '../../../kernel/id-of.ts';
import { permissionsOf } from '../../../kernel/permissions.ts';
import { allows, described } from '../../../kernel/schema.ts';
import { defineRoute, okJson } from '../../../platform/http/define-route.ts';
import { checkIfMatch, shownTag } from '../../../platform/http/etag.ts';
import { reads, writes } from '../../../platform/rest/access.ts';
import { pageRoute } from '../../../platform/rest/page-route.ts';
import { resource } from '../../../platform/rest/resource.ts';
import { changeMember, leaveTeam } from '../actions/change-member.ts';
import { inviteMember } from '../actions/invite-member.ts';
import { sellerErrors } from '../errors.ts';
import { MEMBER_EXAMPLE, Member, MemberStatus, Role, Roles } from '../schemas/member.ts';
import { type MemberRow, NOT_REMOVED, pageOfTeam, teamMembers } from '../store/members.ts';

const path = '/me/members';
const one = {
  path: `${path}/{member_id}`,
  params: Type.Object({ member_id: Type.String({ description: 'Id of the member, `mbr_…`' }) }),
};

function view(row: MemberRow): Static<typeof Member> {
  const { subject, version: _, invitation_hash: __, invitation_expires_at, ...shared } = row;
  return {
    ...shared,
    sub: subject,
    roles: [...shared.roles],
    permissions: permissionsOf(shared.roles),
    invitation_expires_at: shared.status === 'invited' ? invitation_expires_at : null,
  };
}

const tagOf = (row: MemberRow): string => `${row.member_id}.${row.version}`;
const answer = (row: MemberRow) => ({ body: view(row), etag: shownTag(tagOf(row), view(row)) });

const members = resource({
  id: 'sellers.members',
  path,
  one: 'team member',
  kind: 'mbr_',
  area: 'team',
  auth: 'setup',
  table: teamMembers,
  schema: Member,
  example: MEMBER_EXAMPLE,
  view,
  only: NOT_REMOVED,
});

const list = pageRoute({
  id: 'sellers.members.list',
  path,
  summary: 'List the team',
  description: 'Members and open invitations, newest first. Removed members only with `status=removed`.',
  access: reads('team', 'setup'),
  filters: {
    status: Type.Optional(described('Members in this state', MemberStatus)),
    role: Type.Optional(described('Members with this role', Role)),
  },
  schema: Member,
  example: MEMBER_EXAMPLE,
  read: pageOfTeam,
  position: ({ member_id }) => [member_id],
  view,
});

const invite = defineRoute({
  id: 'sellers.members.invite',
  method: 'POST',
  path,
  summary: 'Invite a person into the team',
  description:
    'Names the person by marketplace identity (`sub`), e-mail address, or both. The marketplace sends the person a link. The person joins by accepting it within seven days, with that identity or that verified e-mail address. Counts towards the plan limit `team_members`. An expired invitation counts until the team makes the next one.',
  access: { ...writes('team', 'setup'), limit: 'team_members' },
  body: {
    kind: 'json',
    schema: Type.Object(
      {
        sub: Type.Optional(
          Type.String({
            minLength: 1,
            maxLength: 255,
            ...allows('^\\S+$', 'Must not have blanks.'),
            description: 'Marketplace identity',
          }),
        ),
        email: Type.Optional(
          Type.String({
            format: 'email',
            maxLength: 254,
            description: 'E-mail address of the invited person',
          }),
        ),
        roles: Roles,
      },
      { title: 'MemberInvitation', description: 'Whom to invite, and with which roles.' },
    ),
    example: { email: 'kim@example.com', roles: ['finance'] },
  },
  ok: okJson('The invitation', Member, MEMBER_EXAMPLE, 201),
  errors: [sellerErrors.owner_required, sellerErrors.member_exists],
  handler: async (ctx, { body: { sub, email, roles }, path: here }) => {
    if (sub === undefined && email === undefined) {
      throw invalid([{ loc: ['body', 'email'], msg: 'Send "sub" or "email".', type: 'missing' }]);
    }
    // Identities are UUIDs, whose case does not matter. Sessions have them in lower case.
    const subject = sub?.toLowerCase() ?? null;
    const row = await inviteMember(ctx, { subject, email: email ?? null, roles });
    return { ...answer(row), status: 201, headers: { location: `${here}/${row.member_id}` } };
  },
});

const CHANGE_ERRORS = [
  coreErrors.not_found,
  sellerErrors.owner_required,
  sellerErrors.last_owner,
  coreErrors.precondition_failed,
];

const update = defineRoute({
  ...one,
  id: 'sellers.members.update',
  method: 'PATCH',
  summary: 'Change the roles of a team member',
  description: 'The member’s sessions end at once; the next exchange brings a token with the new roles.',
  access: writes('team', 'setup'),
  body: {
    kind: 'json',
    schema: Type.Object(
      { roles: Roles },
      { title: 'MemberChange', description: 'The new roles of a member.' },
    ),
    example: { roles: ['finance', 'support'] },
  },
  ok: okJson('The member', Member, MEMBER_EXAMPLE),
  errors: CHANGE_ERRORS,
  handler: async (ctx, { params, body: { roles }, headers }) => {
    const memberId = idOf('mbr_', params.member_id);
    const checkVersion = (member: MemberRow): void => checkIfMatch(headers, tagOf(member));
    return answer(await changeMember(ctx, { memberId, roles, checkVersion }));
  },
});

const remove = defineRoute({
  ...one,
  id: 'sellers.members.delete',
  method: 'DELETE',
  summary: 'Remove a team member or withdraw an invitation',
  description: 'The member’s sessions end at once.',
  access: { ...writes('team', 'setup'), idempotency: 'none' },
  ok: [{ status: 204, description: 'Removed' }],
  errors: CHANGE_ERRORS,
  handler: async (ctx, { params, headers }) => {
    const memberId = idOf('mbr_', params.member_id);
    const checkVersion = (member: MemberRow): void => checkIfMatch(headers, tagOf(member));
    await changeMember(ctx, { memberId, roles: 'remove', checkVersion });
    return { status: 204 };
  },
});

const leave = defineRoute({
  id: 'sellers.membership.delete',
  method: 'DELETE',
  path: '/me/membership',
  summary: 'Leave the team',
  description:
    'Removes the member who sends the request, whatever its roles. The member’s sessions end at once; the identity may then register or join another team.',
  access: { ...reads('settings', 'setup'), rate: 'write' },
  ok: [{ status: 204, description: 'Left' }],
  errors: [coreErrors.not_found, sellerErrors.last_owner],
  handler: async (ctx) => {
    await leaveTeam(ctx);
    return { status: 204 };
  },
});

export const memberRoutes = [list, members.get(), invite, update, remove, leave];
