/**
 * Stored attachments. The bytes are encrypted under a key of their own, which is sealed in the row: without the row
 * nothing opens them. Source: docs/design/attachments.md#storage.
 */

import { createCipheriv, createDecipheriv, hash, randomBytes } from 'node:crypto';
import type { Acting, Db } from '../../kernel/context.ts';
import { type FieldProblem, invalid } from '../../kernel/errors.ts';
import type { Secrets } from '../crypto/secrets.ts';
import { boolean, instant, integer, nullable, text, textOf } from '../db/columns.ts';
import { lockName } from '../db/lock-name.ts';
import { command, part, statement } from '../db/statement.ts';
import { defineTable, type RowIn, type SellerDb } from '../db/table.ts';
import type { Files } from '../files/files.ts';
import type { FileUse } from './check-file.ts';
import type { CleanFile } from './receive-file.ts';

const CIPHER = 'aes-256-gcm';
const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

const attachments = defineTable('attachment', ['attachment_id'], {
  attachment_id: text,
  use: textOf<FileUse>(),
  origin: textOf<'seller' | 'buyer' | 'marketplace'>(),
  filename: nullable(text),
  content_type: text,
  bytes: integer,
  /** Of the stored copy, as pages and measures: null once nothing of a file of a conversation is stored. */
  sha256: nullable(text),
  pages: nullable(integer),
  width: nullable(integer),
  height: nullable(integer),
  scan: textOf<CleanFile['scan']>(),
  key_sealed: nullable(text),
  status: textOf<'unused' | 'used' | 'deleted'>(),
  refused: nullable(text),
  /** The opaque id under which the marketplace sends the file; it stays, so a repeated request finds the file. */
  external_id: nullable(text),
  created_at: instant,
  used_at: nullable(instant),
});
export type Attachment = RowIn<typeof attachments>;

/** A file whose content is stored. */
export type StoredAttachment = Attachment & { readonly sha256: string };
export const isStored = (file: Attachment | undefined): file is StoredAttachment => file?.sha256 != null;

/** What a file of a conversation loses with its content; its kind and size stay. */
const WITHOUT_CONTENT = part`status = 'deleted', key_sealed = null, filename = null,
             sha256 = null, pages = null, width = null, height = null`;

const fileIdOf = (attachmentId: string): string => `fil_${attachmentId.slice('att_'.length)}`;
export const contextOf = (attachmentId: string): string => `attachment:${attachmentId}`;

function encrypt(bytes: Buffer, key: Buffer): readonly Buffer[] {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES });
  return [nonce, cipher.update(bytes), cipher.final(), cipher.getAuthTag()];
}

function decrypt(sealed: Buffer, key: Buffer): Buffer {
  const nonce = sealed.subarray(0, NONCE_BYTES);
  const decipher = createDecipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES });
  decipher.setAuthTag(sealed.subarray(-TAG_BYTES));
  return Buffer.concat([decipher.update(sealed.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()]);
}

interface Storage {
  readonly files: Files;
  readonly secrets: Secrets;
}

/** What a file is, beside its bytes. */
interface About {
  readonly use: FileUse;
  readonly origin: Attachment['origin'];
  readonly filename: string | null;
  readonly external_id: string | null;
}

const OF_IDENTITY: About = { use: 'identity', origin: 'seller', filename: null, external_id: null };

/**
 * Stores the clean copy of a file, encrypted, in the transaction of the caller. One of a conversation waits to be used.
 *
 * @param about default: a document of identity
 */
export async function storeAttachment(
  ctx: Acting,
  { files, secrets }: Storage,
  { bytes, ...file }: CleanFile,
  about: About = OF_IDENTITY,
): Promise<StoredAttachment> {
  const attachment_id = ctx.ids.next('att_');
  const key = randomBytes(KEY_BYTES);
  const row: StoredAttachment = {
    attachment_id,
    ...about,
    ...file,
    bytes: bytes.length,
    sha256: hash('sha256', bytes, 'hex'),
    key_sealed: secrets.seal(key.toString('base64'), contextOf(attachment_id)),
    status: about.use === 'identity' ? 'used' : 'unused',
    refused: null,
    created_at: ctx.at(),
    used_at: null,
  };
  const stored = {
    fileId: fileIdOf(attachment_id),
    sellerId: ctx.seller_id,
    purpose: 'attachment',
    contentType: 'application/octet-stream',
    now: ctx.now(),
  } as const;
  await files.put(ctx.db, stored, encrypt(bytes, key));
  await attachments.insert(ctx, row);
  return row;
}

/** Notes a file of which nothing is kept, because it breaks a rule. */
export async function storeRefused(
  ctx: Acting,
  bytes: number,
  { code, ...about }: About & { readonly code: string },
): Promise<Attachment> {
  const row: Attachment = {
    attachment_id: ctx.ids.next('att_'),
    ...about,
    ...{ content_type: 'application/octet-stream', bytes, sha256: null },
    ...{ pages: null, width: null, height: null, scan: 'not_scanned', key_sealed: null },
    ...{ status: 'deleted', refused: code, created_at: ctx.at(), used_at: null },
  };
  await attachments.insert(ctx, row);
  return row;
}

/** The file that the marketplace has sent under an id. */
export const findExternal = (at: SellerDb, externalId: string): Promise<Attachment | undefined> =>
  attachments.one(at, part`external_id = ${externalId}`);

/**
 * Locks the id under which a file is sent until the transaction ends, so that its requests run one after
 * another.
 */
export async function lockExternal({ db, seller_id }: SellerDb, externalId: string): Promise<void> {
  await lockName(db, `attachment ${seller_id} ${externalId}`);
}

const DAY_MS = 86_400_000;
/** How long a file waits to be used. */
export const UNUSED_KEPT_MS = DAY_MS;
/** How long a file is kept after the end of its thread or ticket. */
const USED_KEPT_MS = 180 * DAY_MS;
const AT_ONCE_MAX = 100;

interface SomeDeleted {
  readonly deleted: number;
  readonly more: boolean;
}

/** Deletes files that were never used, at most a hundred, of all sellers. In the system's scope. */
export async function deleteUnused(db: Db, now: number): Promise<SomeDeleted> {
  const deleted = await db.run(command`
    with gone as (
      delete from attachment
       where (seller_id, attachment_id) in (
               select seller_id, attachment_id
                 from attachment
                where status = 'unused'
                  and created_at <= ${new Date(now - UNUSED_KEPT_MS).toISOString()}
                limit ${AT_ONCE_MAX}
                  for update skip locked)
      returning seller_id, attachment_id)
    delete from file f
     using gone
     where f.seller_id = gone.seller_id
       and f.file_id = 'fil_' || substr(gone.attachment_id, 5)`);
  return { deleted, more: deleted === AT_ONCE_MAX };
}

/**
 * Deletes all but kind and size of files whose conversation ended long ago, at most a hundred, of all sellers. Those
 * about an order with an open claim, dispute or return are kept. In the system's scope.
 */
export async function deleteExpiredFiles(db: Db, now: number): Promise<SomeDeleted> {
  const before = new Date(now - USED_KEPT_MS).toISOString();
  const isOld = part`a.status = 'used' and a.use = 'conversation' and a.used_at <= ${before}::timestamptz`;
  // To plan the deletion takes longer than to find that there is nothing to delete.
  const some = await db.one(statement({ found: boolean })`
    select exists (select from attachment a where ${isOld}) as found`);
  if (some?.found !== true) return { deleted: 0, more: false };
  const isOver = part`
                       f.seller_id = a.seller_id
                   and f.attachment_ids @> array[a.attachment_id::text]
                   and f.ended_at <= ${before}::timestamptz
                   and not f.is_held`;
  const deleted = await db.run(command`
    with gone as (
      update attachment
         set ${WITHOUT_CONTENT}, refused = 'attachment_expired'
       where (seller_id, attachment_id) in (
               select a.seller_id, a.attachment_id
                 from attachment a
                where ${isOld}
                  and (exists (select from v_messages_files f where ${isOver})
                       or exists (select from v_customer_service_files f where ${isOver}))
                limit ${AT_ONCE_MAX}
                  for update of a skip locked)
      returning seller_id, attachment_id)
    delete from file f
     using gone
     where f.seller_id = gone.seller_id
       and f.file_id = 'fil_' || substr(gone.attachment_id, 5)`);
  return { deleted, more: deleted === AT_ONCE_MAX };
}

/** Deletes content and key; the row says that there was a document. */
export async function eraseAttachment(at: SellerDb, files: Files, attachmentId: string): Promise<void> {
  await files.remove(at.db, fileIdOf(attachmentId));
  await at.db.run(command`
    update attachment
       set status = 'deleted', key_sealed = null
     where seller_id = ${at.seller_id} and attachment_id = ${attachmentId}`);
}

/** Why the content of a file of a conversation is deleted. */
type Deletion = 'buyer_erased' | 'attachment_expired';

/** Deletes all of files of conversations but kind and size. @returns the number of files */
export async function deleteContents(
  { db, seller_id }: SellerDb,
  ids: readonly string[],
  why: Deletion,
): Promise<number> {
  if (ids.length === 0) return 0;
  const [deleted] = await Promise.all([
    db.run(command`
      update attachment
         set ${WITHOUT_CONTENT}, refused = ${why}
       where seller_id = ${seller_id}
         and attachment_id = any(${ids})
         and status <> 'deleted'`),
    db.run(command`
      delete from file
       where seller_id = ${seller_id}
         and file_id = any(${ids.map(fileIdOf)})`),
  ]);
  return deleted;
}

/** How many files a text may refer to, and what it belongs to. */
interface AttachmentLimits {
  /** Default: 5 for a text. */
  readonly max?: number;
  /** Files that the thread or ticket refers to already. */
  readonly used?: number;
  /** Default: 50 for a thread or ticket. */
  readonly total?: number;
}

const AT_ONCE = 5;
const TOGETHER = 50;
const attachmentProblem = (index: number, msg: string, input: string): FieldProblem => ({
  loc: ['body', 'attachment_ids', index],
  type: 'attachment_not_usable',
  msg,
  input,
});

/**
 * Takes files of the seller for a text: each is used once.
 *
 * @returns the files in the order of the ids
 * @throws ApiError 422 `attachment_not_usable` at the place of each that is unknown, used, or one too many
 */
export async function useAttachments(
  ctx: Acting,
  ids: readonly string[],
  { max = AT_ONCE, used = 0, total = TOGETHER }: AttachmentLimits = {},
): Promise<Attachment[]> {
  if (ids.length === 0) return [];
  const room = Math.min(max, total - used);
  const over = ids.slice(room).map((id, index) => {
    const msg = `At most ${max} files belong to one text, and ${total} to the whole conversation.`;
    return attachmentProblem(Math.max(0, room) + index, msg, id);
  });
  if (over.length > 0) throw invalid(over);
  const taken = new Map((await take(ctx, ids, 'seller')).map((file) => [file.attachment_id, file]));
  const wrong = ids.flatMap((id, index) =>
    taken.has(id) && ids.indexOf(id) === index
      ? []
      : [attachmentProblem(index, 'You have no such file that waits to be used; upload it first.', id)],
  );
  if (wrong.length > 0) throw invalid(wrong);
  return ids.flatMap((id) => taken.get(id) ?? []);
}

/** Marks files as used that wait for it. Only one of two texts gets the same file. */
function take({ db, seller_id, at }: Acting, ids: readonly string[], origin: 'seller' | 'marketplace') {
  return db.all(statement(attachments.columns)`
    update attachment
       set status = case status when 'unused' then 'used' else status end, used_at = ${at()}
     where seller_id = ${seller_id}
       and attachment_id = any(${ids})
       and use = 'conversation'
       and (origin = 'seller') = ${origin === 'seller'}
       and used_at is null
       and (status = 'unused' or refused is not null)
    returning ${attachments.list}`);
}

/**
 * Takes files that the marketplace has sent, also those of which nothing was kept.
 *
 * @returns the ids that it may not use are left out
 */
export const takeSent = (ctx: Acting, ids: readonly string[]): Promise<Attachment[]> =>
  ids.length === 0 ? Promise.resolve([]) : take(ctx, ids, 'marketplace');

export const findAttachments = (at: SellerDb, ids: readonly string[]): Promise<Attachment[]> =>
  attachments.all(at, part`attachment_id = any(${ids})`);

/** The seller of an attachment, in the system's scope. */
export async function attachmentOwner(db: Db, attachmentId: string): Promise<string | undefined> {
  const row = await db.one(statement({ seller_id: text })`
    select seller_id
      from attachment
     where attachment_id = ${attachmentId}`);
  return row?.seller_id;
}

/** The bytes of an attachment; undefined if its content was deleted. */
export async function readAttachment(
  at: SellerDb,
  { files, secrets }: Storage,
  attachmentId: string,
): Promise<{ readonly use: FileUse; readonly content_type: string; readonly bytes: Buffer } | undefined> {
  const row = await attachments.find(at, { attachment_id: attachmentId });
  if (row === undefined || row.key_sealed === null) return undefined;
  const pieces: Buffer[] = [];
  for await (const piece of files.read(at.db, fileIdOf(attachmentId))) pieces.push(piece);
  const key = Buffer.from(secrets.open(row.key_sealed, contextOf(attachmentId)), 'base64');
  return { use: row.use, content_type: row.content_type, bytes: decrypt(Buffer.concat(pieces), key) };
}
