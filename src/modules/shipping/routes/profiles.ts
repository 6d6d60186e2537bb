import type { Static } from 'typebox';
import type { SellerCtx } from '../../../kernel/context.ts';
import { fail, invalid } from '../../../kernel/errors.ts';
import { currencyExponent } from '../../../kernel/money.ts';
import { writeVersion } from '../../../platform/db/table.ts';
import { resource } from '../../../platform/rest/resource.ts';
import { checkContent } from '../actions/check-content.ts';
import { shippingErrors } from '../errors.ts';
import { changeEvent, profileChanged } from '../events.ts';
import { profile } from '../schemas/profile.ts';
import { PROFILE_EXAMPLE, PROFILE_INPUT_EXAMPLE } from '../schemas/profile-examples.ts';
import { HANDLING_DEFAULT } from '../schemas/read-profile.ts';
import { lockProfiles, type ProfileRow, productsOfProfile, shippingProfiles } from '../store/profiles.ts';
import { rulesOfProfile } from '../store/rules.ts';

/** No seller needs more profiles. The search for the default profile reads all of them. */
const PROFILES_MAX = 100;

/** A zone shows the defaults of the fields that the seller has left out. */
async function view(row: ProfileRow, ctx: SellerCtx): Promise<Static<typeof profile.schema>> {
  const { currency } = await ctx.standing();
  return {
    ...row,
    working_days: [...row.working_days],
    zones: row.zones.map((zone) => ({ countries: ['AU'], states: [], postcodes: [], ...zone })),
    currency,
    currency_exponent: currencyExponent(currency),
  };
}

/** @throws ApiError 422 with all problems, each with its field, 409 `profile_name_exists` */
async function checked(ctx: SellerCtx, row: ProfileRow, all: readonly ProfileRow[]): Promise<ProfileRow> {
  const named = { ...row, name: row.name.trim() };
  checkContent(named);
  const others = all.filter(({ profile_id }) => profile_id !== row.profile_id);
  if (others.some(({ name }) => name.toLowerCase() === named.name.toLowerCase()))
    throw fail(shippingErrors.profile_name_exists);
  const old = named.is_default ? others.find(({ is_default }) => is_default) : undefined;
  if (old !== undefined) {
    const ordinary = await writeVersion(shippingProfiles, ctx, old, { is_default: false });
    await ctx.emit(changeEvent(profileChanged, 'updated').of(await view(ordinary, ctx)));
  }
  return named;
}

const profiles = resource({
  ...profile,
  id: 'shipping.profiles',
  area: 'shipping',
  table: shippingProfiles,
  example: PROFILE_EXAMPLE,
  view,
  // The lock on all profiles of the seller is taken before the lock on one.
  lock: async (ctx, id) => (await lockProfiles(ctx)).find(({ profile_id }) => profile_id === id),
});

export const profileRoutes = [
  profiles.list({ description: 'Newest first.' }),
  profiles.get(),
  profiles.create({
    description:
      'How fast orders are handed over, and zones with services and their prices. The first profile is the default. Amounts are in the seller’s currency.',
    body: profile.input,
    example: PROFILE_INPUT_EXAMPLE,
    errors: [shippingErrors.profile_name_exists, shippingErrors.profile_limit],
    emits: changeEvent(profileChanged, 'created'),
    run: async (ctx, body, fresh) => {
      const all = await lockProfiles(ctx);
      const is_default = all.length === 0 || (body.is_default ?? false);
      checkContent({ ...HANDLING_DEFAULT, ...body, is_default });
      if (all.length >= PROFILES_MAX)
        throw fail(shippingErrors.profile_limit, { facts: { limit: PROFILES_MAX } });
      return checked(ctx, { ...HANDLING_DEFAULT, ...body, is_default, ...fresh }, all);
    },
  }),
  profiles.update({
    description:
      'Fields that the body leaves out stay; `zones` is replaced as a whole. `simulate` tries a change before it is saved.',
    body: profile.change,
    example: { handling_days: 2, cut_off: '12:00' },
    errors: [shippingErrors.profile_name_exists],
    emits: changeEvent(profileChanged, 'updated'),
    run: async (ctx, before, body) => {
      if (before.is_default && body.is_default === false) {
        const msg = 'Make another profile the default instead.';
        throw invalid([{ loc: ['body', 'is_default'], msg, type: 'default_required', input: false }]);
      }
      return checked(ctx, { ...before, ...body }, await lockProfiles(ctx));
    },
  }),
  profiles.delete({
    description:
      'A profile that shipping rules use or products name cannot be deleted. The default profile can be deleted only when it is the last one.',
    errors: [shippingErrors.profile_in_use],
    emits: changeEvent(profileChanged, 'deleted'),
    run: async (ctx, row) => {
      const rules = await rulesOfProfile(ctx, row.profile_id);
      const rule_ids = rules.map(({ rule_id }) => rule_id);
      const { count: products, ids: product_ids } = await productsOfProfile(ctx, row.profile_id);
      const facts = { rule_ids, products, product_ids };
      if (rule_ids.length > 0 || products > 0) throw fail(shippingErrors.profile_in_use, { facts });
      if (row.is_default && (await lockProfiles(ctx)).length > 1)
        throw fail(shippingErrors.profile_in_use, {
          detail: 'This is the default profile; make another one the default first.',
          facts,
        });
      // The last version keeps what the profile was until now.
      await writeVersion(shippingProfiles, ctx, row, {});
    },
  }),
];
