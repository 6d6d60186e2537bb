/** Files of conversations as answers show them. Source: docs/design/attachments.md. */
import Type, { type Static } from 'typebox';
import { Instant, Nullable, StringEnum } from '../../kernel/schema.ts';
import { type Attachment as AttachmentRow, UNUSED_KEPT_MS } from './attachments.ts';

export const ScanResult = StringEnum(['clean', 'not_scanned'], {
  title: 'ScanResult',
  description: '`not_scanned`: the operator has no virus scanner',
});

export const Attachment = Type.Object(
  {
    attachment_id: Type.String({ description: 'Id of the file, `att_…`' }),
    filename: Nullable(
      Type.String({ description: 'Name under which it can be saved; null: its content is gone' }),
    ),
    content_type: Type.String({ description: 'Kind of the file by its bytes' }),
    bytes: Type.Integer({ description: 'Size of the stored copy' }),
    sha256: Nullable(
      Type.String({
        description: 'SHA-256 of the stored copy, in hexadecimal digits; null: its content is gone',
      }),
    ),
    scan: ScanResult,
    status: StringEnum(['unused', 'used', 'deleted'], {
      description: '`unused`: it waits for a text that refers to it; `deleted`: its content is gone',
    }),
    refused: Nullable(
      Type.String({ description: 'Why its content is gone: the rule that it broke, or `buyer_erased`' }),
    ),
    expires_at: Nullable(Instant({ description: 'When it is deleted unless a text refers to it' })),
  },
  { title: 'Attachment', description: 'A file of a conversation.' },
);

export const ATTACHMENT_EXAMPLE: Static<typeof Attachment> = {
  attachment_id: 'att_01j0000000000000000000000',
  filename: 'parcel.jpg',
  content_type: 'image/jpeg',
  bytes: 182_044,
  sha256: '9f2c4f6a1b0d3e5f7a8b9c0d1e2f3a4b5c6d7e8f9a0b1c2d3e4f5a6b7c8d9e0f',
  scan: 'clean',
  status: 'used',
  refused: null,
  expires_at: null,
};

/** The ids of files in the body of a text. */
export const AttachmentIds = Type.Optional(
  Type.Array(Type.String({ maxLength: 64 }), {
    maxItems: 5,
    description: 'Files that were uploaded first, at most 5; each can be used once',
  }),
);

export function attachmentToWire(row: AttachmentRow): Static<typeof Attachment> {
  const { attachment_id, filename, content_type, bytes, sha256, scan, status, refused, created_at } = row;
  const expires_at =
    status === 'unused' ? new Date(Date.parse(created_at) + UNUSED_KEPT_MS).toISOString() : null;
  return { attachment_id, filename, content_type, bytes, sha256, scan, status, refused, expires_at };
}

/** Attachments of a stored event, as they are shown once their content is deleted. */
export const asDeleted = (shown: unknown): object[] =>
  Array.isArray(shown)
    ? shown.map((file: object) => ({ ...file, filename: null, sha256: null, status: 'deleted' }))
    : [];
