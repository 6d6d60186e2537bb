import type { SellerCtx } from '../../../kernel/context.ts';
import { coreErrors, fail, invalid } from '../../../kernel/errors.ts';
import { profileProblems } from '../domain/check-profile.ts';
import { shippingErrors } from '../errors.ts';
import type { ProfileChangeWire, ProfileInputWire } from '../schemas/profile.ts';
import { changed, HANDLING_DEFAULT, readZones, type StoredContent } from '../schemas/read-profile.ts';
import {
  clearDefault,
  deleteProfile,
  lockProfiles,
  type ProfileRow,
  writeProfile,
} from '../store/profiles.ts';
import { rulesOfProfile } from '../store/rules.ts';

/** More than any seller's table of rates needs; all of them are read to find the default. */
const PROFILES_MAX = 100;

/** @throws ApiError 422 with everything that is wrong, each at its field */
export function checkContent(content: StoredContent, at: readonly (string | number)[] = ['body']): void {
  const problems = profileProblems({ ...content, zones: readZones(content.zones) }, at);
  if (problems.length > 0) throw invalid(problems);
}

/** Names are compared as buyers of a name would: without regard to case. */
function checkName(others: readonly ProfileRow[], { name, profile_id }: ProfileRow): void {
  const taken = others.some(
    (other) => other.profile_id !== profile_id && other.name.toLowerCase() === name.toLowerCase(),
  );
  if (taken) throw fail(shippingErrors.profile_name_exists);
}

async function write(ctx: SellerCtx, held: readonly ProfileRow[], row: ProfileRow): Promise<ProfileRow> {
  const { seller_id } = ctx.seller;
  checkName(held, row);
  if (row.is_default) await clearDefault(ctx.db, seller_id, row.profile_id, row.updated_at);
  await writeProfile(ctx.db, seller_id, row);
  return row;
}

/**
 * Adds a profile; the first one of a seller is its default.
 *
 * @throws ApiError 422, 409 `profile_name_exists`, 409 `profile_limit`
 */
export async function createProfile(ctx: SellerCtx, input: ProfileInputWire): Promise<ProfileRow> {
  const held = await lockProfiles(ctx.db, ctx.seller.seller_id);
  const base = { ...HANDLING_DEFAULT, name: input.name, is_default: held.length === 0, zones: input.zones };
  const content = changed(base, held.length === 0 ? { ...input, is_default: true } : input);
  checkContent(content);
  if (held.length >= PROFILES_MAX) throw fail(shippingErrors.profile_limit);
  const at = new Date(ctx.now()).toISOString();
  const profile_id = ctx.ids.next('shippingProfile');
  return write(ctx, held, { ...content, profile_id, version: 1, created_at: at, updated_at: at });
}

export interface ProfileChange {
  readonly profileId: string;
  readonly change: ProfileChangeWire;
  /** Refuses another version than the one the caller has seen. */
  readonly checkVersion: (profile: ProfileRow) => void;
}

/**
 * Changes fields of a profile; zones are replaced as a whole. The default stays one until another takes its place.
 *
 * @throws ApiError 404, 412, 422, 409 `profile_name_exists`
 */
export async function changeProfile(
  ctx: SellerCtx,
  { profileId, change, checkVersion }: ProfileChange,
): Promise<ProfileRow> {
  const held = await lockProfiles(ctx.db, ctx.seller.seller_id);
  const before = held.find(({ profile_id }) => profile_id === profileId);
  if (before === undefined) throw fail(coreErrors.not_found);
  checkVersion(before);
  if (before.is_default && change.is_default === false) {
    const msg = 'Make another profile the default instead.';
    throw invalid([{ loc: ['body', 'is_default'], msg, type: 'default_required', input: false }]);
  }
  const content = changed(before, change);
  checkContent(content);
  const updated_at = new Date(ctx.now()).toISOString();
  return write(ctx, held, { ...before, ...content, version: before.version + 1, updated_at });
}

/**
 * Removes a profile. The default can go when it is the last one.
 *
 * @throws ApiError 404, 412, 409 `profile_in_use`
 */
export async function removeProfile(
  ctx: SellerCtx,
  profileId: string,
  checkVersion: (profile: ProfileRow) => void,
): Promise<void> {
  const { seller_id } = ctx.seller;
  const held = await lockProfiles(ctx.db, seller_id);
  const profile = held.find(({ profile_id }) => profile_id === profileId);
  if (profile === undefined) throw fail(coreErrors.not_found);
  checkVersion(profile);
  const rules = await rulesOfProfile(ctx.db, seller_id, profileId);
  if (rules.length > 0) throw fail(shippingErrors.profile_in_use, { facts: { rule_ids: rules } });
  if (profile.is_default && held.length > 1)
    throw fail(shippingErrors.profile_in_use, {
      detail: 'This is the default profile; make another one the default first.',
      facts: { rule_ids: [] },
    });
  await deleteProfile(ctx.db, seller_id, profileId);
}
