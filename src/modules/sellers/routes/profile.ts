import Type, { type Static } from 'typebox';
import { invalid } from '../../../kernel/errors.ts';
import { defineEvent } from '../../../kernel/events.ts';
import { currencyExponent, jsonOrNull } from '../../../kernel/money.ts';
import { Instant, NOT_BLANK, Nullable } from '../../../kernel/schema.ts';
import { section } from '../../../platform/rest/section.ts';
import { merge } from '../domain/merge.ts';
import { ADDRESS_EXAMPLE, Address, addressProblems } from '../schemas/address.ts';
import { clearable, email, StandingFields, shown, TaxIdentity, webAddress } from '../schemas/fields.ts';
import type { SellerRow } from '../store/seller-row.ts';
import { toldRow } from './own-row.ts';

/** The longest policy that another large marketplace allows. */
const DESCRIPTION_CHARS_MAX = 3_000;

const Contact = Type.Object(
  {
    name: clearable(120, 'Person to ask for'),
    email: email('Address that the marketplace writes to'),
    phone: clearable(32, 'Telephone number'),
  },
  { title: 'Contact', description: 'A person to talk to.' },
);

const Profile = Type.Object(
  {
    seller_id: Type.String(),
    business_name: Type.String({ description: 'Legal name of the business' }),
    trading_name: shown('Name that buyers see'),
    description: shown('About the seller'),
    contact: Nullable(Contact),
    website_url: shown('Website'),
    logo_url: shown('Logo'),
    banner_url: shown('Banner'),
    dispatch_address: Nullable(Address),
    return_address: Nullable(Address),
    billing_address: Nullable(Address),
    ...TaxIdentity,
    ...StandingFields,
    currency: Type.String(),
    currency_exponent: Type.Integer(),
    created_at: Instant(),
    updated_at: Instant(),
  },
  { title: 'Seller', description: 'The seller with profile, standing and plan.' },
);

const ProfilePatch = Type.Object(
  {
    business_name: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 200,
        ...NOT_BLANK,
        description: 'Legal name of the business',
      }),
    ),
    trading_name: clearable(200, 'Name that buyers see'),
    description: clearable(DESCRIPTION_CHARS_MAX, 'About the seller'),
    contact: Type.Optional(Nullable(Contact)),
    website_url: webAddress('Website'),
    logo_url: webAddress('Logo'),
    banner_url: webAddress('Banner'),
    dispatch_address: Type.Optional(Nullable(Address)),
    return_address: Type.Optional(Nullable(Address)),
    billing_address: Type.Optional(Nullable(Address)),
  },
  { title: 'SellerPatch', description: 'The fields of the profile to change.' },
);

const ADDRESSES = ['dispatch_address', 'return_address', 'billing_address'] as const;

type Stored = Omit<Static<typeof ProfilePatch>, 'business_name'>;

const EXAMPLE: Static<typeof Profile> = {
  seller_id: 'slr_01j0000000000000000000000',
  business_name: 'Blue Mug Pty Ltd',
  trading_name: 'Blue Mug Co',
  description: null,
  contact: { name: 'Kim Lee', email: 'kim@example.com' },
  website_url: 'https://bluemug.example',
  logo_url: null,
  banner_url: null,
  dispatch_address: null,
  return_address: ADDRESS_EXAMPLE,
  billing_address: null,
  tax_id: '51824753556',
  tax_id_check: 'abn_valid',
  status: 'active',
  verified: true,
  api_access: true,
  plan: 'Small',
  account_flags: [],
  hold_days: null,
  min_payout_minor: null,
  currency: 'AUD',
  currency_exponent: 2,
  created_at: '2026-06-01T00:00:00.000Z',
  updated_at: '2026-06-28T01:00:00.000Z',
};

export const profileChanged = defineEvent({
  type: 'seller.profile_changed',
  summary: 'The seller changed its profile',
  schema: Profile,
  id: 'seller_id',
  example: EXAMPLE,
  marketplace: true,
});

const show = (row: SellerRow): Static<typeof Profile> => {
  const stored: Stored = row.profile;
  return {
    seller_id: row.seller_id,
    business_name: row.business_name,
    trading_name: stored.trading_name ?? null,
    description: stored.description ?? null,
    contact: stored.contact ?? null,
    website_url: stored.website_url ?? null,
    logo_url: stored.logo_url ?? null,
    banner_url: stored.banner_url ?? null,
    dispatch_address: stored.dispatch_address ?? null,
    return_address: stored.return_address ?? null,
    billing_address: stored.billing_address ?? null,
    tax_id: row.tax_id,
    tax_id_check: row.tax_id_check,
    status: row.status,
    verified: row.verified,
    api_access: row.api_access,
    plan: row.plan,
    account_flags: [...row.account_flags],
    hold_days: row.hold_days,
    min_payout_minor: jsonOrNull(row.min_payout_minor),
    currency: row.currency,
    currency_exponent: currencyExponent(row.currency),
    created_at: row.created_at,
    updated_at: row.updated_at,
  };
};

export const profileRoutes = section({
  ...toldRow(profileChanged, show),
  id: 'sellers.profile',
  path: '/me',
  one: 'seller profile',
  description: 'Only the marketplace changes the tax identifier, the standing and the plan.',
  view: Profile,
  // A change of another section is one of the seller's row too.
  derived: ['updated_at'],
  patch: ProfilePatch,
  patchExample: { trading_name: 'Blue Mug Co', return_address: ADDRESS_EXAMPLE, logo_url: null },
  viewExample: EXAMPLE,
  change: (row, patch) => {
    const problems = ADDRESSES.flatMap((field) => {
      const address = patch[field];
      return address == null ? [] : addressProblems(address, [field]);
    });
    if (problems.length > 0) throw invalid(problems);
    const { business_name = row.business_name, ...rest } = patch;
    return { business_name: business_name.trim(), profile: merge(row.profile, rest) };
  },
});
