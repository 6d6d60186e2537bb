import type { Acting, AuditMember, MarketplaceCtx, MarketplaceIdentity } from '../../../kernel/context.ts';
import { fail } from '../../../kernel/errors.ts';
import { acting } from '../../../platform/acting.ts';
import { findMemberOf } from '../../../platform/db/read-member.ts';
import { firstVersion } from '../../../platform/db/table.ts';
import type { WithServices } from '../../../platform/services.ts';
import { claimTaxId } from '../domain/claim-tax-id.ts';
import { classifyTaxId } from '../domain/classify-tax-id.ts';
import { firstFlags, isOpen } from '../domain/first-flags.ts';
import { registrationErrors } from '../errors.ts';
import { sellerRegistered } from '../events.ts';
import { bindIdentity, lockSubject } from '../store/identities.ts';
import { teamMembers } from '../store/members.ts';
import { findProfile, insertSeller, markRegistered, type SellerProfileRow } from '../store/register.ts';
import { lockTaxId, takeTaxId, writeTaxId } from '../store/tax-ids.ts';

interface Registration {
  readonly business_name: string;
  readonly tax_id: string;
}

interface Registered {
  readonly created: boolean;
  readonly profile: SellerProfileRow;
}

async function createSeller(ctx: Acting, { business_name, tax_id }: Registration): Promise<SellerProfileRow> {
  const { db, seller_id, config } = ctx;
  const open = isOpen(config);
  const profile: SellerProfileRow = {
    seller_id,
    business_name: business_name.trim(),
    tax_id,
    tax_id_check: classifyTaxId(tax_id),
    status: 'active',
    verified: open,
    api_access: open,
    plan: 'Free',
  };
  const registered_at = ctx.at();
  await insertSeller(db, profile, registered_at, { account_flags: firstFlags(config), registered_at });
  const claim = { unclaimed_since: null, owner_subject: null, provisioned_at: null };
  const taken = await takeTaxId(db, { tax_id, seller_id, ...claim });
  if (!taken) throw fail(registrationErrors.tax_id_taken);
  return profile;
}

/** Makes the identity the owner of a seller without members, and tells the marketplace. @returns the owner */
async function addOwner(
  ctx: Acting,
  { subject, email, aal }: MarketplaceIdentity,
  { seller_id, business_name, tax_id, tax_id_check }: SellerProfileRow,
): Promise<AuditMember> {
  const member_id = ctx.ids.next('mbr_');
  const roles = ['owner'] as const;
  const at = ctx.at();
  await teamMembers.insert(ctx, {
    member_id,
    subject,
    email,
    roles,
    status: 'active',
    invited_by: null,
    invitation_hash: null,
    invitation_expires_at: null,
    ...firstVersion(at),
  });
  await bindIdentity(ctx.db, subject, { seller_id, member_id }, at);
  await ctx.emit(sellerRegistered.of({ seller_id, business_name, tax_id, tax_id_check, subject, email }));
  return { seller_id, member_id, roles, aal };
}

/**
 * Creates the seller of a marketplace identity, binds the identity to the seller that the marketplace has provided, or
 * returns the existing seller of the identity. Even for concurrent requests, an identity has one seller, and a tax
 * identifier belongs to one seller.
 *
 * @throws ApiError 409 `tax_id_taken|already_registered`
 */
export function registerSeller(
  { services, identity, auditAs, record }: MarketplaceCtx & WithServices,
  registration: Registration,
): Promise<Registered> {
  const { tax_id } = registration;
  return services.withSystem('register-seller', 'write', async (db) => {
    await lockSubject(db, identity.subject);
    const member = await findMemberOf(db, identity.subject);
    if (member !== undefined) {
      auditAs({ ...member, aal: identity.aal });
      const profile = await findProfile(db, member.seller_id);
      if (profile?.tax_id !== tax_id) throw fail(registrationErrors.already_registered);
      await record(db, { status: 200 });
      return { created: false, profile };
    }
    const held = await lockTaxId(db, tax_id);
    const claim = claimTaxId(held, identity.subject, services.now());
    const waiting = claim === 'bind' && held !== undefined ? held : undefined;
    if (claim === 'refuse') throw fail(registrationErrors.tax_id_taken);
    const ctx = acting(services, { db, seller_id: waiting?.seller_id ?? services.ids.next('slr_') });
    if (waiting !== undefined) {
      await writeTaxId(db, { ...waiting, unclaimed_since: null });
      await markRegistered(db, waiting.seller_id, ctx.at());
    }
    const profile =
      waiting === undefined
        ? await createSeller(ctx, registration)
        : await findProfile(db, waiting.seller_id);
    if (profile === undefined) throw fail(registrationErrors.tax_id_taken);
    auditAs(await addOwner(ctx, identity, profile));
    await record(db, { status: 201 });
    return { created: true, profile };
  });
}
