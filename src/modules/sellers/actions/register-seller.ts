import type { CursorDb, MarketplaceIdentity } from '../../../kernel/context.ts';
import { fail } from '../../../kernel/errors.ts';
import { acting } from '../../../platform/acting.ts';
import { firstVersion } from '../../../platform/db/table.ts';
import type { Services } from '../../../platform/services.ts';
import { classifyTaxId } from '../domain/classify-tax-id.ts';
import { registrationErrors } from '../errors.ts';
import { sellerRegistered } from '../events.ts';
import { bindIdentity, findMemberOf, lockSubject } from '../store/identities.ts';
import { teamMembers } from '../store/members.ts';
import { claimTaxId, findProfile, insertSeller, type SellerProfileRow } from '../store/register.ts';

export interface Registration {
  readonly business_name: string;
  readonly tax_id: string;
}

export interface Registered {
  readonly created: boolean;
  readonly profile: SellerProfileRow;
}

async function createSeller(
  services: Services,
  db: CursorDb,
  { subject, email }: MarketplaceIdentity,
  { business_name, tax_id }: Registration,
): Promise<SellerProfileRow> {
  // Elsewhere the marketplace verifies a seller and opens the API to it; in development there is no marketplace.
  const open = services.config.APP_ENV === 'development';
  const profile: SellerProfileRow = {
    seller_id: services.ids.next('slr_'),
    business_name: business_name.trim(),
    tax_id,
    tax_id_check: classifyTaxId(tax_id),
    status: 'active',
    verified: open,
    api_access: open,
    plan: 'Free',
  };
  const { seller_id, tax_id_check } = profile;
  const ctx = acting(services, { db, seller_id });
  const member_id = ctx.ids.next('mbr_');
  const at = ctx.at();
  await insertSeller(db, profile, at);
  if (!(await claimTaxId(db, tax_id, seller_id))) throw fail(registrationErrors.tax_id_taken);
  await teamMembers.insert(ctx, {
    member_id,
    subject,
    email,
    roles: ['owner'],
    status: 'active',
    invited_by: null,
    ...firstVersion(at),
  });
  await bindIdentity(db, subject, { seller_id, member_id }, at);
  const { business_name: name } = profile;
  await ctx.emit(
    sellerRegistered.of({ seller_id, business_name: name, tax_id, tax_id_check, subject, email }),
  );
  return profile;
}

/**
 * Creates the seller of a marketplace identity, or returns the seller that it has. One identity has one seller, and
 * one tax identifier belongs to one seller, however many requests come at the same time.
 *
 * @throws ApiError 409 `tax_id_taken|already_registered`
 */
export function registerSeller(
  services: Services,
  identity: MarketplaceIdentity,
  registration: Registration,
): Promise<Registered> {
  return services.withSystem('register-seller', 'write', async (db) => {
    await lockSubject(db, identity.subject);
    const member = await findMemberOf(db, identity.subject);
    if (member === undefined) {
      return { created: true, profile: await createSeller(services, db, identity, registration) };
    }
    const profile = await findProfile(db, member.seller_id);
    if (profile?.tax_id !== registration.tax_id) throw fail(registrationErrors.already_registered);
    return { created: false, profile };
  });
}
