/** Takes the bytes of an attachment: size, kind, structure, clean copy, scan. Source: docs/design/standing.md#documents. */
import { hash } from 'node:crypto';
import { type ApiError, fail, invalid } from '../../kernel/errors.ts';
import { readImage } from '../../kernel/images/read-image.ts';
import { fileMagic } from '../../kernel/readers/text/file-magic.ts';
import type { HandlerCtx } from '../services.ts';
import { checkPdf } from './check-pdf.ts';
import { cleanImage, isCleanType } from './clean-image.ts';
import { attachmentErrors, FILE_PROBLEMS, type FileProblem } from './errors.ts';
import { scanBytes } from './scan.ts';
import { attachmentSettings } from './settings.ts';
import { createTurns } from './take-turn.ts';

export const DOCUMENT_TYPES = ['image/jpeg', 'image/png', 'image/webp', 'application/pdf'] as const;
export type DocumentType = (typeof DOCUMENT_TYPES)[number];

/** What is stored of a file. */
export interface CleanFile {
  readonly content_type: DocumentType;
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

/** The kind of a file by its bytes; another word for what is not taken. */
function detect(bytes: Buffer): DocumentType | FileProblem | { readonly detected: string } {
  const magic = fileMagic(bytes);
  if (magic === 'pdf') return 'application/pdf';
  const image = readImage(bytes);
  if (typeof image === 'object')
    return isCleanType(image.content_type) ? image.content_type : { detected: image.content_type };
  return image === 'image_type_unknown' ? { detected: magic ?? 'unknown' } : 'attachment_unreadable';
}

/** The request that sends a file. */
type Receiving = Pick<HandlerCtx, 'services' | 'seller_id' | 'log' | 'audit'>;

/**
 * Scans the clean copy. A finding is written into the activity log, and with the file's digest into the log.
 *
 * @throws ApiError 422 `attachment_infected`, 503 `scan_unavailable`
 */
async function scan({ services, log, audit }: Receiving, bytes: Buffer): Promise<CleanFile['scan']> {
  const { SCANNER_URL: url, SCANNER_REQUIRED: required } = attachmentSettings.of(services.config);
  const isRequired =
    required === 'automatic' ? services.config.APP_ENV === 'production' : required !== 'none';
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
 * Checks a document of identity and makes the copy that is stored.
 *
 * @param receiving its seller's files are taken one after another
 * @param stated the Content-Type of the request; undefined or `application/octet-stream`: the bytes alone say it
 * @param sideMin least pixels of the shorter side of an image
 * @throws ApiError 415 `attachment_kind_unsupported`, 422, 503 `scan_unavailable|unavailable`
 */
export async function receiveFile(
  receiving: Receiving,
  sent: Buffer,
  stated: string | undefined,
  sideMin: number,
): Promise<CleanFile> {
  const kind = detect(sent);
  if (typeof kind === 'object') throw fail(attachmentErrors.attachment_kind_unsupported, { facts: kind });
  if (!DOCUMENT_TYPES.some((type) => type === kind)) throw refuse(kind as FileProblem);
  const content_type = kind as DocumentType;
  if (stated !== undefined && stated !== 'application/octet-stream' && stated !== content_type)
    throw refuse('attachment_type_mismatch');
  if (content_type === 'application/pdf') {
    const checked = await takePdfTurn(receiving.seller_id, () => checkPdf(sent));
    if (typeof checked === 'string') throw refuse(checked);
    const file = { content_type, bytes: sent, ...checked, width: null, height: null };
    return { ...file, scan: await scan(receiving, file.bytes) };
  }
  const image = await cleanImage(receiving.seller_id, sent, sideMin);
  if (typeof image === 'string') throw refuse(image);
  return { content_type, ...image, pages: null, scan: await scan(receiving, image.bytes) };
}
