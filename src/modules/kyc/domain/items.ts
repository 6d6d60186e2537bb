/** What a case asks for, and what is wrong with documents. Source: docs/design/standing.md#identity. */

export const ITEM_STATUSES = ['missing', 'provided', 'accepted', 'refused'] as const;
export type ItemStatus = (typeof ITEM_STATUSES)[number];

/** Reasons of a refusal, each with what mends it. */
export const REASONS = {
  document_unreadable: ['The document cannot be read.', 'Scan it again, sharp and evenly lit.'],
  document_expired: ['The document has expired.', 'Send one that is valid today.'],
  document_cropped: ['A part of the document is missing.', 'Show the whole document with all its edges.'],
  name_mismatch: [
    'The name differs from that of the account.',
    'Send a document in this name, or correct the account.',
  ],
  address_mismatch: [
    'The address differs from that of the account.',
    'Send a proof of this address, or correct the account.',
  ],
  missing_back: ['The back of the document is missing.', 'Send both sides.'],
  wrong_type: ['This is another kind of document.', 'Send a document of the kind that the item names.'],
  too_old: ['The document is too old.', 'Send one of the last three months.'],
  not_the_director: [
    'The document is about another person.',
    'Send that of the director in the company register.',
  ],
  other: ['The marketplace has refused it for another reason.', 'Read the detail, or ask the marketplace.'],
} as const;
type ReasonCode = keyof typeof REASONS;
export const REASON_CODES = Object.keys(REASONS) as [ReasonCode, ...ReasonCode[]];

export interface Reason {
  readonly code: ReasonCode;
  readonly detail: string | null;
}

/** What an item is: a code, and whom it is about. */
export interface Asked {
  readonly code: string;
  readonly subject: string | null;
}

/** Satisfied without a document while the register knows the company. */
export const COMPANY_REGISTER = 'company_register';
const PERSON = ['identity_document', 'proof_of_address'];

/**
 * The items of a call that names none. For other legal forms than sole traders and companies the marketplace
 * names the items: the deed of a partnership or a trust decides who must prove what. A seller that has not
 * said its form yet counts as a sole trader.
 */
export function defaultItems(entityType: string | null): Asked[] {
  const about = (subject: string) => PERSON.map((code) => ({ code, subject }));
  if (entityType === null || entityType === 'sole_trader') return about('owner');
  if (entityType !== 'company') return [];
  return [
    ...about('director_1'),
    { code: COMPANY_REGISTER, subject: null },
    { code: 'beneficial_owners', subject: null },
  ];
}

const DOCUMENT_TYPES = ['passport', 'driver_licence', 'national_id'] as const;
export const IDENTITY_TYPES: readonly string[] = DOCUMENT_TYPES;
export const SIDES = ['front', 'back'] as const;
export type Side = (typeof SIDES)[number];

/** The sides that a document of a type must have; null: one file. */
const SIDES_OF: Readonly<Record<string, readonly Side[]>> = {
  driver_licence: SIDES,
  national_id: SIDES,
};

export interface DocumentPlace {
  readonly type: string | null;
  readonly side: Side | null;
}

/** What is wrong with type and side of a document of an item, by the name of the parameter. */
export function placeProblem(
  code: string,
  { type, side }: DocumentPlace,
): { readonly name: 'type' | 'side'; readonly msg: string } | undefined {
  if (code !== 'identity_document')
    return type === null && side === null
      ? undefined
      : {
          name: type === null ? 'side' : 'type',
          msg: 'Only an identity document has a type and sides; remove it.',
        };
  if (type === null || !IDENTITY_TYPES.includes(type))
    return { name: 'type', msg: `Say which document it is: ${IDENTITY_TYPES.join(', ')}.` };
  const sides = SIDES_OF[type];
  if (sides === undefined)
    return side === null ? undefined : { name: 'side', msg: 'A passport has no sides; remove it.' };
  return side !== null && sides.includes(side)
    ? undefined
    : { name: 'side', msg: `Say which side it is: ${sides.join(' or ')}.` };
}

/** Whether the documents of an item are complete. */
export function isComplete(documents: readonly DocumentPlace[]): boolean {
  const types = [...new Set(documents.map(({ type }) => type))];
  return types.some((type) => {
    const sides = SIDES_OF[type ?? ''];
    const have = documents.filter((document) => document.type === type).map(({ side }) => side);
    return sides === undefined ? have.length > 0 : sides.every((side) => have.includes(side));
  });
}
