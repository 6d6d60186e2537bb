/** Takes the bytes of an attachment: size, kind, structure, clean copy, scan. Source: docs/design/attachments.md. */
import { hash } from 'node:crypto';
import { type ApiError, fail, invalid } from '../../kernel/errors.ts';
import { readImage } from '../../kernel/images/read-image.ts';
import { fileMagic } from '../../kernel/readers/text/file-magic.ts';
import type { HandlerCtx } from '../services.ts';
import { checkPdf } from './check-pdf.ts';
import { isPlainText } from './check-text.ts';
import { cleanImage, isCleanType } from './clean-image.ts';
import { attachmentErrors, FILE_PROBLEMS, type FileProblem, isProblem } from './errors.ts';
import { scanBytes } from './scan.ts';
import { attachmentSettings } from './settings.ts';
import { createTurns } from './take-turn.ts';

export const DOCUMENT_TYPES = ['image/jpeg', 'image/png', 'image/webp', 'application/pdf'] as const;
type DocumentType = (typeof DOCUMENT_TYPES)[number];
/** A text belongs to conversations only. */
export type FileType = DocumentType | 'text/plain';

/** `identity`: documents that no seller gets back. */
export type FileUse = 'identity' | 'conversation';
interface Wanted {
  readonly use: FileUse;
  /** The Content-Type of the request; undefined or `application/octet-stream`: the bytes alone say it. */
  readonly stated: string | string[] | undefined;
  /** Least pixels of the shorter side of an image. */
  readonly sideMin?: number;
}

/** What is stored of a file. */
export interface CleanFile {
  readonly content_type: FileType;
  readonly bytes: Buffer;
  readonly pages: number | null;
  readonly width: number | null;
  readonly height: number | null;
  readonly scan: 'clean' | 'not_scanned';
}

/** A check may inflate 50 MiB and search them. */
const takePdfTurn = createTurns(1);

const refuse = (problem: FileProblem): ApiError =>
  invalid([{ loc: ['body'], msg: FILE_PROBLEMS[problem], type: problem }]);

/** A content type without its parameters. */
const baseType = (header: string | string[] | undefined): string | undefined =>
  typeof header === 'string' ? header.split(';', 1)[0]?.trim().toLowerCase() : undefined;

/** The kind of a file by its bytes; another word for what is not taken. */
function detect(bytes: Buffer, use: FileUse): FileType | FileProblem | { readonly detected: string } {
  const magic = fileMagic(bytes);
  if (magic === 'pdf') return 'application/pdf';
  const image = readImage(bytes);
  if (typeof image === 'object')
    return isCleanType(image.content_type) ? image.content_type : { detected: image.content_type };
  if (image !== 'image_type_unknown') return 'attachment_unreadable';
  const isText = use === 'conversation' && magic === undefined && isPlainText(bytes);
  return isText ? 'text/plain' : { detected: magic ?? 'unknown' };
}

/** The request that sends a file. */
type Receiving = Pick<HandlerCtx, 'services' | 'seller_id' | 'log' | 'audit'>;

/**
 * Scans the clean copy. A finding is written into the activity log, and with the file's digest into the log.
 *
 * @throws ApiError 422 `attachment_infected`, 503 `scan_unavailable`
 */
async function scan(
  { services, log, audit }: Receiving,
  use: FileUse,
  bytes: Buffer,
): Promise<CleanFile['scan']> {
  const { SCANNER_URL: url, SCANNER_REQUIRED: required } = attachmentSettings.of(services.config);
  const isProduction = services.config.APP_ENV === 'production';
  const asked = required === 'automatic' ? (isProduction ? 'identity' : 'none') : required;
  const isRequired = asked === 'all' || asked === use;
  const unavailable = fail(attachmentErrors.scan_unavailable, { headers: { 'retry-after': '30' } });
  if (url === undefined) {
    if (isRequired) throw unavailable;
    return 'not_scanned';
  }
  const result = await scanBytes(url, bytes);
  if (result === 'unavailable') throw unavailable;
  if (result === 'infected') {
    log.warn({ sha256: hash('sha256', bytes, 'hex') }, 'the scanner has found malware in a file');
    audit({ code: 'attachment_infected' });
    throw refuse('attachment_infected');
  }
  return result;
}

/**
 * Checks a file and makes the copy that is stored.
 *
 * @param receiving its seller's files are taken one after another
 * @throws ApiError 415 `attachment_kind_unsupported`, 422, 503 `scan_unavailable|unavailable`
 */
export async function receiveFile(
  receiving: Receiving,
  sent: Buffer,
  { use, stated: header, sideMin = 0 }: Wanted,
): Promise<CleanFile> {
  const content_type = detect(sent, use);
  if (typeof content_type === 'object')
    throw fail(attachmentErrors.attachment_kind_unsupported, { facts: content_type });
  if (isProblem(content_type)) throw refuse(content_type);
  const stated = baseType(header);
  if (stated !== undefined && stated !== 'application/octet-stream' && stated !== content_type)
    throw refuse('attachment_type_mismatch');
  if (!isCleanType(content_type)) {
    const checked =
      content_type === 'text/plain'
        ? { pages: null }
        : await takePdfTurn(receiving.seller_id, () => checkPdf(sent));
    if (typeof checked === 'string') throw refuse(checked);
    const file = { content_type, bytes: sent, ...checked, width: null, height: null };
    return { ...file, scan: await scan(receiving, use, file.bytes) };
  }
  const image = await cleanImage(receiving.seller_id, sent, sideMin);
  if (typeof image === 'string') throw refuse(image);
  return { content_type, ...image, pages: null, scan: await scan(receiving, use, image.bytes) };
}
