import Type, { type Static } from 'typebox';
import { described, Instant, Nullable, StringEnum } from '../../kernel/schema.ts';
import { contactMarketplace, sellerCalls, waitingFields } from '../../kernel/waiting.ts';
import { ScanResult } from '../../platform/attachments/attachment-schema.ts';
import { CASE_STATUSES } from './domain/case-machine.ts';
import { IDENTITY_TYPES, ITEM_STATUSES, REASON_CODES, SIDES } from './domain/items.ts';

const DocumentType = StringEnum(IDENTITY_TYPES as readonly [string, ...string[]], {
  title: 'IdentityDocumentType',
  description: 'Kind of an identity document',
});
const DocumentSide = StringEnum(SIDES, { title: 'DocumentSide', description: 'Side of a card' });

export const Document = Type.Object(
  {
    attachment_id: Type.String({ description: 'Id of the document, `att_…`' }),
    type: Nullable(DocumentType),
    side: Nullable(DocumentSide),
    content_type: Type.String({ description: 'Kind of the file, by its bytes' }),
    bytes: Type.Integer({ description: 'Size of what is stored; images are written anew' }),
    sha256: Type.String({ description: 'SHA-256 of what is stored, in hexadecimal digits' }),
    pages: Nullable(Type.Integer({ description: 'Pages of a PDF; null: not known' })),
    scan: ScanResult,
  },
  {
    title: 'IdentityDocument',
    description: 'A document that was handed in. Its content is never given back.',
  },
);
export const DOCUMENT_EXAMPLE: Static<typeof Document> = {
  attachment_id: 'att_01j0000000000000000000000',
  type: 'passport',
  side: null,
  content_type: 'image/jpeg',
  bytes: 482_113,
  sha256: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  pages: null,
  scan: 'clean',
};

const Reason = Type.Object(
  {
    code: StringEnum(REASON_CODES, { title: 'RefusalCode', description: 'Why a document was refused' }),
    detail: Nullable(Type.String({ description: 'What the marketplace adds' })),
    text: Type.String({ description: 'What is wrong' }),
    what_to_do: Type.String({ description: 'What mends it' }),
  },
  { title: 'RefusalReason', description: 'Why something was refused, and what mends it.' },
);

const Item = Type.Object(
  {
    item_id: Type.String({ description: 'Id of the item, `kyi_…`' }),
    code: Type.String({ description: 'What is asked for: `identity_document`, `proof_of_address`, …' }),
    subject: Nullable(Type.String({ description: 'Whom it is about; null: the business' })),
    status: StringEnum(ITEM_STATUSES, { title: 'KycItemStatus', description: 'What became of the item' }),
    reasons: Type.Array(Reason, { description: 'Why it was refused' }),
    documents: Type.Array(Document, { description: 'The documents that count' }),
  },
  { title: 'KycItem', description: 'Something that the marketplace asks for.' },
);

const Status = StringEnum(CASE_STATUSES, {
  title: 'KycStatus',
  description: 'State of the case; `not_required`: nothing is asked for',
});

export const Case = Type.Object(
  {
    kyc_id: Nullable(Type.String({ description: 'Id of the case, `kyc_…`; null: there was never one' })),
    status: Status,
    round: Type.Integer({ description: 'Counts how often the marketplace began anew; 0: never' }),
    entity_type: Nullable(Type.String({ description: 'Legal form of the business' })),
    deadline: Nullable(
      Instant({ description: 'Until when it must be approved; then payouts are held. null: none' }),
    ),
    expires_on: Nullable(Type.String({ format: 'date', description: 'When the approval ends; null: never' })),
    reasons: Type.Array(Reason, { description: 'Why the case was rejected' }),
    ...waitingFields,
    items: Type.Array(Item, { description: 'All that is asked for, at once' }),
    provider: Type.Object(
      {
        status: Nullable(Type.String({ description: 'State of the account there; null: there is none' })),
        href: Type.String({ description: 'Where it is shown' }),
      },
      { title: 'KycProvider', description: 'The verification by the payment provider is its own.' },
    ),
  },
  { title: 'KycCase', description: 'Verification of the seller’s identity for the marketplace.' },
);

export const SUBMIT = sellerCalls(
  '/api/v1/kyc/submissions',
  'Hand in the documents of each open item, then submit.',
);
export const UNNAMED = contactMarketplace(
  'The marketplace says which documents it needs for your legal form.',
);
export const REVIEW = contactMarketplace('The marketplace reviews the documents.');
export const REJECTED = contactMarketplace('The marketplace has rejected the case; ask it to begin anew.');
export const PROVIDER_HREF = '/api/v1/payouts/account';

export const CASE_EXAMPLE: Static<typeof Case> = {
  kyc_id: 'kyc_01j0000000000000000000000',
  status: 'more_info_required',
  round: 1,
  entity_type: 'sole_trader',
  deadline: '2026-08-01T00:00:00.000Z',
  expires_on: null,
  reasons: [],
  ...SUBMIT,
  items: [
    {
      item_id: 'kyi_01j0000000000000000000000',
      code: 'identity_document',
      subject: 'owner',
      status: 'refused',
      reasons: [
        {
          code: 'document_unreadable',
          detail: null,
          text: 'The document cannot be read.',
          what_to_do: 'Scan it again, sharp and evenly lit.',
        },
      ],
      documents: [DOCUMENT_EXAMPLE],
    },
  ],
  provider: { status: null, href: PROVIDER_HREF },
};

/** What events tell of a case. */
export const CaseNotice = Type.Object(
  {
    kyc_id: Type.String({ description: 'Id of the case' }),
    status: Status,
    round: Type.Integer({ description: 'The round of the case' }),
    reasons: Type.Array(Reason, { description: 'Why the case was rejected' }),
    items: Type.Array(Type.Pick(Item, ['item_id', 'code', 'subject', 'status', 'reasons']), {
      description: 'All items of the round',
    }),
    deadline: Nullable(Instant({ description: 'Until when it must be approved; null: none' })),
    expires_on: Nullable(Type.String({ format: 'date', description: 'When the approval ends; null: never' })),
    days_left: Nullable(Type.Integer({ description: 'Days until then, for a reminder' })),
  },
  { title: 'KycNotice', description: 'State of the verification of identity.' },
);

/** What the marketplace reads when a case is handed in. */
export const Submission = Type.Object(
  {
    kyc_id: Type.String({ description: 'Id of the case' }),
    round: Type.Integer({ description: 'The round of the case' }),
    entity_type: Nullable(Type.String({ description: 'Legal form of the business' })),
    items: Type.Array(
      Type.Object({
        item_id: Type.String({ description: 'Id of the item' }),
        code: Type.String({ description: 'What was asked for' }),
        subject: Nullable(Type.String({ description: 'Whom it is about' })),
        attachment_ids: Type.Array(Type.String(), {
          description: 'Documents, for `GET /internal/v1/attachments/{attachment_id}/content`',
        }),
      }),
      { description: 'All items of the round' },
    ),
  },
  { title: 'KycSubmission', description: 'What a seller has handed in.' },
);
export const DocumentInput = Type.Object({
  type: Type.Optional(described('Of an identity document', DocumentType)),
  side: Type.Optional(described('Of a licence or card', DocumentSide)),
});
