import Type, { type Static } from 'typebox';
import { pageOf } from '../../../kernel/cursor.ts';
import { coreErrors, fail, invalid } from '../../../kernel/errors.ts';
import { idPattern } from '../../../kernel/ids.ts';
import { permissionsOf, ROLES } from '../../../kernel/permissions.ts';
import type { RouteResult } from '../../../kernel/route.ts';
import { PAGE_LIMIT_DEFAULT, Page, pageQuery, StringEnum } from '../../../kernel/schema.ts';
import { looseRoute as defineRoute } from '../../../platform/http/define-route.ts';
import { checkIfMatch } from '../../../platform/http/etag.ts';
import { changeMember } from '../actions/change-member.ts';
import { inviteMember } from '../actions/invite-member.ts';
import { sellerErrors } from '../errors.ts';
import { MEMBER_EXAMPLE, MEMBER_STATUSES, Member, Roles } from '../schemas/member.ts';
import { findMember, listMembers, type MemberRow } from '../store/members.ts';

const read = { auth: 'seller', permission: 'team:read', rate: 'read', idempotency: 'none' } as const;
const write = { auth: 'seller', permission: 'team:write', rate: 'write', idempotency: 'optional' } as const;

const params = Type.Object({ member_id: Type.String() });
const MEMBER_ID = new RegExp(idPattern('mbr_'));

function view(row: MemberRow): Static<typeof Member> {
  const { subject, version: _version, ...shared } = row;
  return { ...shared, sub: subject, roles: [...row.roles], permissions: permissionsOf(row.roles) };
}

const tagOf = (row: MemberRow): string => `${row.member_id}.${row.version}`;
const answer = (row: MemberRow): RouteResult => ({ body: view(row), etag: tagOf(row) });

/** An id of another shape names nothing; the database is not asked. */
function memberId(given: string): string {
  if (!MEMBER_ID.test(given)) throw fail(sellerErrors.member_not_found);
  return given;
}

const list = defineRoute({
  id: 'sellers.members.list',
  method: 'GET',
  path: '/me/members',
  summary: 'List the team',
  description: 'Members and open invitations, newest first. Removed members only with `status=removed`.',
  access: read,
  query: Type.Object({
    status: Type.Optional(StringEnum(MEMBER_STATUSES)),
    role: Type.Optional(StringEnum(ROLES)),
    ...pageQuery,
  }),
  ok: [
    {
      status: 200,
      description: 'The team',
      schema: Page(Member),
      example: { data: [MEMBER_EXAMPLE], page: { limit: 50, next_cursor: null, has_more: false } },
    },
  ],
  errors: [],
  handler: async (ctx, { query }) => {
    const { limit = PAGE_LIMIT_DEFAULT, cursor, ...filters } = query;
    const scope = { seller_id: ctx.seller.seller_id, route: 'sellers.members.list', filters };
    const { cursors } = ctx.services;
    const before = cursor === undefined ? undefined : String(cursors.decode(scope, cursor)[0]);
    const rows = await listMembers(ctx.db, ctx.seller.seller_id, { ...filters, before, limit });
    const page = pageOf(rows, limit, (last) => cursors.encode(scope, [last.member_id]));
    return { body: { data: page.data.map(view), page: page.page } };
  },
});

const get = defineRoute({
  id: 'sellers.members.get',
  method: 'GET',
  path: '/me/members/{member_id}',
  summary: 'Read a team member',
  access: read,
  params,
  ok: [{ status: 200, description: 'The member', schema: Member, example: MEMBER_EXAMPLE }],
  errors: [sellerErrors.member_not_found],
  handler: async (ctx, request) => {
    const row = await findMember(ctx.db, ctx.seller.seller_id, memberId(request.params.member_id));
    if (row === undefined) throw fail(sellerErrors.member_not_found);
    return answer(row);
  },
});

const invite = defineRoute({
  id: 'sellers.members.invite',
  method: 'POST',
  path: '/me/members',
  summary: 'Invite somebody into the team',
  description:
    'By marketplace identity (`sub`) or e-mail, or both. The identity becomes the member when it first exchanges a marketplace session. Counts as `team_members`.',
  access: { ...write, limit: 'team_members' },
  body: {
    kind: 'json',
    schema: Type.Object({
      sub: Type.Optional(
        Type.String({ minLength: 1, maxLength: 255, pattern: '^\\S+$', description: 'Marketplace identity' }),
      ),
      email: Type.Optional(Type.String({ format: 'email', maxLength: 254 })),
      roles: Roles,
    }),
    example: { email: 'kim@example.com', roles: ['finance'] },
  },
  ok: [{ status: 201, description: 'The invitation', schema: Member, example: MEMBER_EXAMPLE }],
  errors: [sellerErrors.owner_required, sellerErrors.member_exists],
  handler: async (ctx, { body }) => {
    const { sub = null, email = null, roles } = body;
    if (sub === null && email === null) {
      throw invalid([{ loc: ['body', 'email'], msg: 'Give "sub" or "email".', type: 'missing' }]);
    }
    // Identities are UUIDs, which mean the same in any case; sessions are matched in lower case.
    const row = await inviteMember(ctx, { sub: sub?.toLowerCase() ?? null, email, roles });
    return {
      ...answer(row),
      status: 201,
      headers: { location: `/api/v1/sellers/me/members/${row.member_id}` },
    };
  },
});

const update = defineRoute({
  id: 'sellers.members.update',
  method: 'PATCH',
  path: '/me/members/{member_id}',
  summary: 'Change the roles of a team member',
  description: 'The member’s sessions end at once; the next exchange brings a token with the new roles.',
  access: write,
  params,
  body: { kind: 'json', schema: Type.Object({ roles: Roles }), example: { roles: ['finance', 'support'] } },
  ok: [{ status: 200, description: 'The member', schema: Member, example: MEMBER_EXAMPLE }],
  errors: [
    sellerErrors.member_not_found,
    sellerErrors.owner_required,
    sellerErrors.last_owner,
    coreErrors.precondition_failed,
  ],
  handler: async (ctx, { params: { member_id }, body, headers }) =>
    answer(
      await changeMember(ctx, {
        memberId: memberId(member_id),
        roles: body.roles,
        checkVersion: (member) => checkIfMatch(headers, tagOf(member)),
      }),
    ),
});

const remove = defineRoute({
  id: 'sellers.members.delete',
  method: 'DELETE',
  path: '/me/members/{member_id}',
  summary: 'Remove a team member or withdraw an invitation',
  description: 'The member’s sessions end at once.',
  access: { ...write, idempotency: 'none' },
  params,
  ok: [{ status: 204, description: 'Removed' }],
  errors: [
    sellerErrors.member_not_found,
    sellerErrors.owner_required,
    sellerErrors.last_owner,
    coreErrors.precondition_failed,
  ],
  handler: async (ctx, { params: { member_id }, headers }) => {
    await changeMember(ctx, {
      memberId: memberId(member_id),
      roles: 'remove',
      checkVersion: (member) => checkIfMatch(headers, tagOf(member)),
    });
    return { status: 204 };
  },
});

export const memberRoutes = [list, get, invite, update, remove];
