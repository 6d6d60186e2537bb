/** Takes the bytes of an attachment: size, kind, structure, clean copy, scan. Source: docs/design/attachments.md. */
import { hash } from 'node:crypto';
import { type ApiError, fail, invalid } from '../../kernel/errors.ts';
import type { HandlerCtx } from '../services.ts';
import type { FileType, FileUse } from './check-file.ts';
import { checkInThread } from './check-in-thread.ts';
import { attachmentErrors, FILE_PROBLEMS, type FileProblem } from './errors.ts';
import { scanBytes } from './scan.ts';
import { attachmentSettings } from './settings.ts';

interface Sent {
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

const refuse = (problem: FileProblem): ApiError =>
  invalid([{ loc: ['body'], msg: FILE_PROBLEMS[problem], type: problem }]);

/** A content type without its parameters; undefined if it says nothing. */
function baseType(header: string | string[] | undefined): string | undefined {
  const type = typeof header === 'string' ? header.split(';', 1)[0]?.trim().toLowerCase() : undefined;
  return type === 'application/octet-stream' ? undefined : type;
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
  { use, stated, sideMin = 0 }: Sent,
): Promise<CleanFile> {
  const wanted = { use, stated: baseType(stated), sideMin };
  const checked = await checkInThread(receiving.seller_id, sent, wanted);
  if (typeof checked === 'string') throw refuse(checked);
  if ('detected' in checked) throw fail(attachmentErrors.attachment_kind_unsupported, { facts: checked });
  const { copy, ...file } = checked;
  const bytes = copy === undefined ? sent : Buffer.from(copy.buffer);
  return { ...file, bytes, scan: await scan(receiving, use, bytes) };
}
