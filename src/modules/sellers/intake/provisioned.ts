/** `marketplace.seller.provisioned`: a seller that the marketplace knows, before its owner has registered here. */
import Type, { type Static } from 'typebox';
import {
  defineMarketplaceEvent,
  type IntakeCtx,
  type IntakeOutcome,
  IntakeRejection,
  type MarketplaceEvent,
} from '../../../kernel/events.ts';
import { idPattern } from '../../../kernel/ids.ts';
import { allows, Nullable, PlanSchema } from '../../../kernel/schema.ts';
import { findMemberOf } from '../../../platform/db/read-member.ts';
import { classifyTaxId } from '../domain/classify-tax-id.ts';
import { firstFlags } from '../domain/first-flags.ts';
import { sellerCreated } from '../events.ts';
import { BusinessName, TaxId } from '../schemas/registration.ts';
import { insertSeller } from '../store/register.ts';
import { findSeller, writeSeller } from '../store/seller-row.ts';
import { lockTaxId, type TaxIdRow, takeTaxId, writeTaxId } from '../store/tax-ids.ts';
import { decideStanding } from './standing-changed.ts';

const Data = Type.Object({
  business_name: BusinessName,
  tax_id: TaxId,
  owner_sub: Type.Optional(
    Nullable(
      Type.String({
        ...allows('^[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$', 'Use a UUID.'),
        description:
          'The identity that may register as the owner; null: the first one that registers with the tax id within 30 days; absent: as an event before said, else null',
      }),
    ),
  ),
  plan: PlanSchema,
  verified: Type.Boolean(),
  api_access: Type.Boolean(),
});
type ProvisionedData = Static<typeof Data>;
type Provisioned = MarketplaceEvent<ProvisionedData>;

const SELLER_ID = new RegExp(idPattern('slr_'));

/** The id that the marketplace gives the seller; undefined when it names the seller by its tax identifier. */
function namedSeller({ subject, seller_id, data }: Provisioned): string | undefined {
  const named = [subject, seller_id].filter((name) => name !== null && name !== data.tax_id);
  const [id] = named;
  const fits = named.every((name) => name === id && SELLER_ID.test(name ?? ''));
  if (fits) return id ?? undefined;
  throw new IntakeRejection('data_invalid', 'subject must be the id of one seller (slr_…) or the tax_id');
}

/** The decisions about a tax identifier have versions of their own. */
const orderOf = ({ time, object_version }: Provisioned, named: string | undefined) => ({
  at: time,
  version: named === undefined ? null : object_version,
});

/** Whether the number was free when the marketplace decided. */
const isFree = ({ released_at }: TaxIdRow, { time }: Provisioned): boolean =>
  released_at !== null && Date.parse(time) >= Date.parse(released_at);

/**
 * The seller exists: the newer standing holds, and the newer claim to a seller without an identity. A seller that is
 * named by its id has its number again.
 */
async function renew(
  intake: IntakeCtx,
  event: Provisioned,
  held: TaxIdRow,
  named: string | undefined,
): Promise<IntakeOutcome> {
  const { business_name, owner_sub, plan, verified, api_access } = event.data;
  const owner_subject = owner_sub?.toLowerCase() ?? null;
  const isOthers =
    (named !== undefined && named !== held.seller_id) ||
    (held.unclaimed_since === null &&
      owner_subject !== null &&
      (await findMemberOf(intake.db, owner_subject))?.seller_id !== held.seller_id);
  if (isOthers)
    throw new IntakeRejection(
      'tax_id_taken',
      'Another seller holds this tax_id; send seller.tax_id_released for that seller first.',
    );
  const ctx = intake.acting(held.seller_id);
  const row = await findSeller(ctx, true);
  if (row === undefined) throw new IntakeRejection('seller_not_found', 'There is no such seller.');
  ctx.audit({ target_type: 'seller', target_id: held.seller_id });
  const outcome = await decideStanding(ctx, row, orderOf(event, named), { plan, verified, api_access });
  const { unclaimed_since, provisioned_at } = held;
  // An event that repeats the standing alone must not open the seller to others than its owner.
  const owner = owner_sub === undefined ? held.owner_subject : owner_subject;
  const isOlder = provisioned_at !== null && Date.parse(event.time) < Date.parse(provisioned_at);
  if (isOlder) return outcome;
  const released_at = isFree(held, event) ? null : held.released_at;
  const decided = { ...held, released_at, provisioned_at: event.time };
  if (unclaimed_since === null) {
    if (named === undefined) return outcome;
    await writeTaxId(ctx.db, decided);
    return released_at === held.released_at ? outcome : { status: 'applied' };
  }
  await writeSeller(ctx, row, { business_name: business_name.trim() });
  await writeTaxId(ctx.db, { ...decided, owner_subject: owner, unclaimed_since: ctx.at() });
  return { status: 'applied' };
}

async function create(
  intake: IntakeCtx,
  event: Provisioned,
  named: string | undefined,
): Promise<IntakeOutcome> {
  const { business_name, tax_id, owner_sub, plan, verified, api_access } = event.data;
  const ctx = intake.acting(named ?? intake.ids.next('slr_'));
  const { seller_id } = ctx;
  if ((await findSeller(ctx)) !== undefined)
    throw new IntakeRejection('seller_exists', 'This seller exists and has another tax_id.');
  const tax_id_check = classifyTaxId(tax_id);
  const profile = { seller_id, business_name: business_name.trim(), tax_id, tax_id_check };
  await insertSeller(ctx.db, { ...profile, status: 'active', plan, verified, api_access }, ctx.at(), {
    order: orderOf(event, named),
    account_flags: firstFlags(ctx.config),
  });
  const owner_subject = owner_sub?.toLowerCase() ?? null;
  const claim = { owner_subject, provisioned_at: event.time, unclaimed_since: ctx.at() };
  const taken = await takeTaxId(ctx.db, { tax_id, seller_id, ...claim });
  if (!taken) throw new IntakeRejection('tax_id_taken', 'Another seller has registered this tax_id.');
  ctx.audit({ target_type: 'seller', target_id: seller_id });
  await ctx.emit(sellerCreated.of(profile));
  return { status: 'applied' };
}

async function applyProvisioned(intake: IntakeCtx, event: Provisioned): Promise<IntakeOutcome> {
  const named = namedSeller(event);
  const held = await lockTaxId(intake.db, event.data.tax_id);
  if (held === undefined) return create(intake, event, named);
  // An event from before the release is about the seller that held the number then.
  const isHolders = !isFree(held, event) || named === held.seller_id;
  return isHolders ? renew(intake, event, held, named) : create(intake, event, named);
}

export const sellerProvisioned = defineMarketplaceEvent({
  type: 'marketplace.seller.provisioned',
  summary:
    'A seller that the marketplace knows: it exists at once, and the owner’s registration with the tax id binds the owner to it',
  subject: 'seller id or tax id',
  schema: Data,
  example: {
    business_name: 'Mia Ceramics',
    tax_id: '51824753556',
    owner_sub: '0b5f5c1e-6f3a-4a51-9d0e-3a2f5f0c8a52',
    plan: 'Free',
    verified: true,
    api_access: true,
  },
  example_subject: '51824753556',
  apply: applyProvisioned,
});
