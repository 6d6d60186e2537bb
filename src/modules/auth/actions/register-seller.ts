import type { CursorDb, MarketplaceIdentity } from '../../../kernel/context.ts';
import { fail } from '../../../kernel/errors.ts';
import { appendEvents } from '../../../platform/outbox/append.ts';
import type { Services } from '../../../platform/services.ts';
import { classifyTaxId } from '../domain/classify-tax-id.ts';
import { authErrors } from '../errors.ts';
import { sellerRegistered } from '../events.ts';
import { bindIdentity, findMember, lockSubject } from '../store/identities.ts';
import {
  claimTaxId,
  findProfile,
  insertOwner,
  insertSeller,
  type SellerProfileRow,
} from '../store/sellers.ts';

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
  identity: MarketplaceIdentity,
  { business_name, tax_id }: Registration,
): Promise<SellerProfileRow> {
  // Elsewhere the marketplace verifies a seller and opens the API to it; in development no marketplace does.
  const open = services.config.APP_ENV === 'development';
  const now = services.now();
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
  const owner = { seller_id: profile.seller_id, member_id: services.ids.next('mbr_') };
  await insertSeller(db, profile, now);
  if (!(await claimTaxId(db, tax_id, profile.seller_id))) throw fail(authErrors.tax_id_taken);
  await insertOwner(db, { ...owner, subject: identity.subject, email: identity.email }, now);
  await bindIdentity(db, identity.subject, owner, now);
  await tellMarketplace(services, db, identity, profile);
  return profile;
}

async function tellMarketplace(
  { ids, now }: Services,
  db: CursorDb,
  { subject, email }: MarketplaceIdentity,
  { seller_id, business_name, tax_id, tax_id_check }: SellerProfileRow,
): Promise<void> {
  const object = { seller_id, business_name, tax_id, tax_id_check, subject, email };
  const correlation = { request_id: null, idempotency_key: null };
  await appendEvents(db, { sellerId: seller_id, ids, now: now(), correlation }, [
    { type: sellerRegistered.type, object_id: seller_id, object_version: 1, data: { object } },
  ]);
}

/**
 * Creates the seller of a marketplace identity, or tells the one it has. One identity has one seller and one
 * tax identifier belongs to one seller, however many requests come at once.
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
    const member = await findMember(db, identity.subject);
    if (member === undefined) {
      return { created: true, profile: await createSeller(services, db, identity, registration) };
    }
    const profile = await findProfile(db, member.seller_id);
    if (profile?.tax_id !== registration.tax_id) throw fail(authErrors.already_registered);
    return { created: false, profile };
  });
}
