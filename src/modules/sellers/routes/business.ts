import Type, { type Static } from 'typebox';
import { checkAbn, isValidAcn, normaliseBusinessNumber } from '../../../kernel/australia/abn.ts';
import { type FieldProblem, invalid } from '../../../kernel/errors.ts';
import { Nullable, StringEnum } from '../../../kernel/schema.ts';
import { section } from '../../../platform/rest/section.ts';
import { verificationOf } from '../actions/verify-business-number.ts';
import { businessNumbers } from '../domain/business-numbers.ts';
import { merge } from '../domain/merge.ts';
import { ADDRESS_EXAMPLE, Address, addressProblems } from '../schemas/address.ts';
import { clearable, shown, TaxIdentity } from '../schemas/fields.ts';
import { VERIFICATION_EXAMPLE, VerificationSchema } from '../schemas/verification.ts';
import { requireSeller } from '../store/seller-row.ts';
import { findVerification } from '../store/verification.ts';
import { OWN_ROW } from './own-row.ts';

const ENTITY_TYPES = [
  'sole_trader',
  'partnership',
  'company',
  'trust',
  'association',
  'government',
  'other',
] as const;
/** Eleven digits, with blanks and hyphens. */
const NUMBER_CHARS_MAX = 32;

const EntityType = StringEnum(ENTITY_TYPES, {
  title: 'EntityType',
  description: 'Legal form of the business',
});

const Business = Type.Object(
  {
    legal_name: shown('Name in the register'),
    entity_type: Nullable(EntityType),
    abn: shown('Australian Business Number, digits only; the tax identifier until another is given'),
    acn: shown('Australian Company Number, digits only'),
    gst_registered: Nullable(Type.Boolean({ description: 'As the seller says; null: not said' })),
    registered_address: Nullable(Address),
    ...TaxIdentity,
    verification: VerificationSchema,
  },
  { title: 'Business', description: 'The business details of the seller.' },
);

const BusinessPatch = Type.Object(
  {
    legal_name: clearable(200, 'Name in the register'),
    entity_type: Type.Optional(Nullable(EntityType)),
    abn: clearable(NUMBER_CHARS_MAX, 'Checked by its checksum; blanks are allowed'),
    acn: clearable(NUMBER_CHARS_MAX, 'Checked by its check digit; blanks are allowed'),
    gst_registered: Type.Optional(
      Nullable(
        Type.Boolean({ description: 'Whether the seller says that it is registered; null: not said' }),
      ),
    ),
    registered_address: Type.Optional(Nullable(Address)),
  },
  { title: 'BusinessPatch', description: 'The business details to change.' },
);
type Patch = Static<typeof BusinessPatch>;

function abnProblems(abn: string): FieldProblem[] {
  const check = checkAbn(abn);
  if (check.checksum_valid) return [];
  const at = { loc: ['body', 'abn'], input: abn };
  if (check.hint === 'acn_given')
    return [{ ...at, msg: 'This is an ACN; give it as "acn".', type: 'acn_given' }];
  return check.format_valid
    ? [{ ...at, msg: 'The checksum of this ABN is wrong; check for a mistyped digit.', type: 'abn_checksum' }]
    : [{ ...at, msg: 'An ABN has eleven digits, the first not zero.', type: 'abn_format' }];
}

function problemsOf({ abn, acn, registered_address }: Patch): FieldProblem[] {
  const problems = typeof abn === 'string' ? abnProblems(abn) : [];
  if (typeof acn === 'string' && !isValidAcn(normaliseBusinessNumber(acn))) {
    const msg = 'An ACN has nine digits, the last of them a check digit.';
    problems.push({ loc: ['body', 'acn'], msg, type: 'acn_invalid', input: acn });
  }
  if (registered_address) problems.push(...addressProblems(registered_address, ['registered_address']));
  return problems;
}

export const businessRoutes = section({
  ...OWN_ROW,
  read: async (ctx, lock) => ({
    ...(await requireSeller(ctx, lock)),
    checked: await findVerification(ctx),
  }),
  id: 'sellers.business',
  path: '/me/business',
  one: 'business details',
  description: 'The tax identifier of the registration cannot be changed here.',
  view: Business,
  patch: BusinessPatch,
  patchExample: {
    legal_name: 'Blue Mug Pty Ltd',
    entity_type: 'company',
    registered_address: ADDRESS_EXAMPLE,
  },
  viewExample: {
    legal_name: 'Blue Mug Pty Ltd',
    entity_type: 'company',
    abn: '51824753556',
    acn: null,
    gst_registered: true,
    registered_address: ADDRESS_EXAMPLE,
    tax_id: '51824753556',
    tax_id_check: 'abn_valid',
    verification: VERIFICATION_EXAMPLE,
  },
  show: (row) => {
    const stored: Patch = row.business;
    const { abn, acn } = businessNumbers(row);
    return {
      legal_name: stored.legal_name ?? null,
      entity_type: stored.entity_type ?? null,
      abn,
      acn,
      gst_registered: stored.gst_registered ?? null,
      registered_address: stored.registered_address ?? null,
      tax_id: row.tax_id,
      tax_id_check: row.tax_id_check,
      verification: { abn: verificationOf(row, row.checked) },
    };
  },
  change: (row, patch) => {
    const problems = problemsOf(patch);
    if (problems.length > 0) throw invalid(problems);
    const { abn, acn } = patch;
    return {
      business: merge(row.business, {
        ...patch,
        ...(typeof abn === 'string' ? { abn: normaliseBusinessNumber(abn) } : {}),
        ...(typeof acn === 'string' ? { acn: normaliseBusinessNumber(acn) } : {}),
      }),
    };
  },
});
