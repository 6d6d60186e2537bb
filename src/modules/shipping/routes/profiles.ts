import Type, { type Static } from 'typebox';
import { pageOf } from '../../../kernel/cursor.ts';
import { coreErrors } from '../../../kernel/errors.ts';
import { currencyExponent } from '../../../kernel/money.ts';
import { PAGE_LIMIT_DEFAULT, Page, pageQuery } from '../../../kernel/schema.ts';
import { looseRoute as defineRoute } from '../../../platform/http/define-route.ts';
import { changeProfile, createProfile, removeProfile } from '../actions/save-profile.ts';
import { ofObject, shippingErrors } from '../errors.ts';
import { resource } from '../http/resource.ts';
import { Profile, ProfileChange, ProfileInput } from '../schemas/profile.ts';
import { PROFILE_EXAMPLE, PROFILE_INPUT_EXAMPLE } from '../schemas/profile-examples.ts';
import { findProfile, listProfiles, type ProfileRow } from '../store/profiles.ts';
import { read, write } from './access.ts';

const params = Type.Object({ profile_id: Type.String() });
/** What was left out of a zone is shown as the default that it has. */
function view(row: ProfileRow, currency: string): Static<typeof Profile> {
  return {
    ...row,
    working_days: [...row.working_days],
    zones: row.zones.map((zone) => ({ countries: ['AU'], states: [], postcodes: [], ...zone })),
    currency,
    currency_exponent: currencyExponent(currency),
  };
}

const profiles = resource({
  kind: 'shippingProfile',
  id: 'profile_id',
  path: '/shipping/profiles',
  view: async (ctx, row: ProfileRow) => view(row, (await ctx.standing()).currency),
});

const profile = { status: 200, description: 'The profile', schema: Profile, example: PROFILE_EXAMPLE };

const list = defineRoute({
  id: 'shipping.profiles.list',
  method: 'GET',
  path: '/profiles',
  summary: 'List shipping profiles',
  description: 'Newest first.',
  access: read,
  query: Type.Object(pageQuery),
  ok: [
    {
      status: 200,
      description: 'One page',
      schema: Page(Profile),
      example: { data: [PROFILE_EXAMPLE], page: { limit: 50, next_cursor: null, has_more: false } },
    },
  ],
  errors: [],
  handler: async (ctx, { query: { limit = PAGE_LIMIT_DEFAULT, cursor } }) => {
    const { seller_id } = ctx.seller;
    const { cursors } = ctx.services;
    const scope = { seller_id, route: 'shipping.profiles.list', filters: {} };
    const before = cursor === undefined ? null : String(cursors.decode(scope, cursor)[0]);
    const rows = await listProfiles(ctx.db, seller_id, { before, limit });
    const { currency } = await ctx.standing();
    const { data, page } = pageOf(rows, limit, ({ profile_id }) => cursors.encode(scope, [profile_id]));
    return { body: { data: data.map((row) => view(row, currency)), page } };
  },
});

const get = defineRoute({
  id: 'shipping.profiles.get',
  method: 'GET',
  path: '/profiles/{profile_id}',
  summary: 'Read a shipping profile',
  access: read,
  params,
  ok: [profile],
  errors: [coreErrors.not_found],
  handler: async (ctx, request) => {
    const id = profiles.idFrom(request.params);
    return profiles.answer(ctx, await findProfile(ctx.db, ctx.seller.seller_id, id));
  },
});

const create = defineRoute({
  id: 'shipping.profiles.create',
  method: 'POST',
  path: '/profiles',
  summary: 'Create a shipping profile',
  description:
    'How fast orders are handed over, and zones with services and their prices. The first profile is the default. Amounts are in the seller’s currency.',
  access: write,
  body: { kind: 'json', schema: ProfileInput, example: PROFILE_INPUT_EXAMPLE },
  ok: [{ ...profile, status: 201, description: 'Created; `Location` and `ETag` name it' }],
  errors: [shippingErrors.profile_name_exists, shippingErrors.profile_limit],
  handler: async (ctx, { body }) => profiles.created(ctx, await createProfile(ctx, body)),
});

const update = defineRoute({
  id: 'shipping.profiles.update',
  method: 'PATCH',
  path: '/profiles/{profile_id}',
  summary: 'Change a shipping profile',
  description:
    'What the body leaves out stays; `zones` are replaced as a whole. Try a change with `simulate` before.',
  access: write,
  params,
  body: { kind: 'json', schema: ProfileChange, example: { handling_days: 2, cut_off: '12:00' } },
  ok: [{ ...profile, example: { ...PROFILE_EXAMPLE, handling_days: 2, cut_off: '12:00', version: 2 } }],
  errors: [...ofObject, shippingErrors.profile_name_exists],
  handler: async (ctx, { params: at, headers, body }) => {
    const change = { change: body, checkVersion: profiles.ifMatch(headers) };
    return profiles.answer(ctx, await changeProfile(ctx, { profileId: profiles.idFrom(at), ...change }));
  },
});

const remove = defineRoute({
  id: 'shipping.profiles.delete',
  method: 'DELETE',
  path: '/profiles/{profile_id}',
  summary: 'Delete a shipping profile',
  description: 'Not while rules send products by it, and the default only as the last one.',
  access: { ...write, idempotency: 'none' },
  params,
  ok: [{ status: 204, description: 'Deleted' }],
  errors: [...ofObject, shippingErrors.profile_in_use],
  handler: async (ctx, { params: at, headers }) => {
    await removeProfile(ctx, profiles.idFrom(at), profiles.ifMatch(headers));
    return { status: 204 };
  },
});

export const profileRoutes = [list, get, create, update, remove];
