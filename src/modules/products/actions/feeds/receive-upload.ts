/** Receives an upload: raw or multipart, plain or gzip, bounded before and after inflating. */
import { Readable } from 'node:stream';
import { Busboy, type BusboyFileStream, type BusboyInstance } from '@fastify/busboy';
import { FeedFileError } from '../../../../kernel/readers/feed-file-error.ts';
import { inflateLimited } from '../../../../kernel/readers/inflate.ts';
import { type Spool, spool } from '../../../../platform/files/spool.ts';
import {
  CONTENT_TYPES,
  contentTypeOfFile,
  type FeedContentType,
  feedContentType,
  isGzipFile,
  MULTIPART,
  mediaType,
} from '../../domain/feed-run/formats.ts';
import type { FeedLimits } from '../../domain/feed-run/limits.ts';
import { feedErrors, feedFailure } from '../feed-errors.ts';

export interface Upload {
  readonly spool: Spool;
  readonly contentType: FeedContentType;
  readonly filename: string | null;
}

export interface UploadRequest {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly stream: AsyncIterable<Buffer>;
}

/** Bytes that a multipart body may add to its file. */
const FRAMING_BYTES = 65_536;

const RETRY_AFTER_SECONDS = '5';

const header = (request: UploadRequest, name: string): string | undefined => {
  const value = request.headers[name];
  return Array.isArray(value) ? value.join(',') : value;
};

const wrongType = (detail: string) =>
  feedFailure(feedErrors.feed_content_type, { detail, facts: { allowed: CONTENT_TYPES } });

function inflated(
  source: AsyncIterable<Buffer>,
  encoding: string,
  limits: FeedLimits,
): AsyncIterable<Buffer> {
  if (encoding === '' || encoding === 'identity') return source;
  if (encoding !== 'gzip' && encoding !== 'x-gzip')
    throw wrongType(`The content encoding ${JSON.stringify(encoding)} is not taken; use gzip or none.`);
  return inflateLimited(source, limits.max_bytes);
}

/** Errors of a file as errors of the feed family. */
export function fileError(error: unknown, limits: FeedLimits): unknown {
  if (!(error instanceof FeedFileError)) return error;
  if (error.code === 'feed_too_large')
    return feedFailure(feedErrors.feed_too_large, { detail: error.message, limits });
  const line = error.line === undefined ? {} : { line: error.line };
  return feedFailure(feedErrors.feed_validation_failed, {
    code: error.code,
    detail: error.message,
    limits,
    facts: line,
  });
}

interface Part {
  readonly stream: BusboyFileStream;
  readonly filename: string | null;
  readonly type: string;
}

const MULTIPART_LIMITS = { files: 1, fields: 20, fieldSize: 8_192, parts: 21, headerPairs: 50 } as const;

const invalidMultipart = (code: string, detail: string) =>
  feedFailure(feedErrors.feed_validation_failed, { code, detail });
const SECOND_FILE = 'The multipart body holds more than one file; send each in a run of its own.';
const brokenMultipart = (error: Error) =>
  invalidMultipart('multipart_invalid', `The multipart body cannot be read: ${error.message}.`);

function multipartParser(contentType: string): BusboyInstance {
  try {
    return new Busboy({ headers: { 'content-type': contentType }, limits: MULTIPART_LIMITS });
  } catch (error) {
    throw brokenMultipart(error as Error);
  }
}

/** The only file of a multipart body; a second one is refused. */
async function onlyFile(
  source: AsyncIterable<Buffer>,
  contentType: string,
  use: (part: Part) => Promise<Upload>,
): Promise<Upload> {
  const parser = multipartParser(contentType);
  const body = Readable.from(source);
  let file: BusboyFileStream | undefined;
  let upload: Promise<Upload> | undefined;
  try {
    return await new Promise<Upload>((resolve, reject) => {
      parser.on('file', (_name, stream, filename, _encoding, type) => {
        file = stream;
        stream.on('error', (error) => reject(brokenMultipart(error)));
        upload = use({ stream, filename: filename ?? null, type });
        upload.catch(reject);
      });
      parser.on('error', (error) => reject(brokenMultipart(error as Error)));
      parser.on('filesLimit', () => reject(invalidMultipart('multipart_invalid', SECOND_FILE)));
      parser.on('finish', () => {
        if (upload === undefined)
          reject(invalidMultipart('file_missing', 'The multipart body holds no file.'));
        else resolve(upload);
      });
      body.on('error', reject);
      body.pipe(parser);
    });
  } catch (error) {
    // The file may be complete, or may wait for bytes that never come.
    file?.destroy();
    await upload?.then(
      ({ spool: stored }) => stored[Symbol.asyncDispose](),
      () => undefined,
    );
    throw error;
  } finally {
    body.unpipe(parser);
    body.destroy();
  }
}

/** Longest file name that is kept, in characters. */
const FILENAME_MAX = 255;

/** The name without folders and control characters. */
function cleanFilename(filename: string | null): string | null {
  const name = filename
    ?.toWellFormed()
    .replace(/^.*[/\\]/s, '')
    .replace(/\p{Cc}/gu, '');
  return name === undefined || name === '' ? null : name.slice(0, FILENAME_MAX).toWellFormed();
}

function knownType(type: FeedContentType | undefined, stated: string): FeedContentType {
  if (type !== undefined) return type;
  throw wrongType(
    stated === ''
      ? 'Send a Content-Type that feeds take.'
      : `The content type ${JSON.stringify(stated.slice(0, 100))} is not taken.`,
  );
}

/**
 * Reads the upload of a feed request to the disk.
 *
 * @param maxTotalBytes disk space for all uploads of this process together
 * @throws ApiError 413 `feed_too_large`, 415 `feed_content_type`, 422 `feed_validation_failed`, 503 `feed_no_room`
 */
export async function receiveUpload(
  request: UploadRequest,
  limits: FeedLimits,
  maxTotalBytes: number,
): Promise<Upload> {
  const tooLarge = () =>
    feedFailure(feedErrors.feed_too_large, {
      detail: `The file has more than ${limits.max_bytes} bytes.`,
      limits,
    });
  const full = () =>
    feedFailure(feedErrors.feed_no_room, {
      retryable: true,
      headers: { 'retry-after': RETRY_AFTER_SECONDS },
    });
  const room = { maxBytes: limits.max_bytes, tooLarge, maxTotalBytes, full };
  const encoding = (header(request, 'content-encoding') ?? '').trim().toLowerCase();
  if (encoding === '' && Number(header(request, 'content-length') ?? 0) > limits.max_bytes + FRAMING_BYTES)
    throw tooLarge();
  const type = header(request, 'content-type') ?? '';
  const media = mediaType(type);
  try {
    if (media !== MULTIPART) {
      const contentType = knownType(feedContentType(media), media);
      const source = inflated(request.stream, encoding, limits);
      return { spool: await spool(source, room), contentType, filename: null };
    }
    return await onlyFile(inflated(request.stream, encoding, limits), type, async (part) => {
      const partType = mediaType(part.type);
      const contentType = knownType(contentTypeOfFile(partType, part.filename), partType);
      const source = isGzipFile(partType, part.filename)
        ? inflateLimited(part.stream, limits.max_bytes)
        : part.stream;
      const filename = cleanFilename(part.filename);
      return { spool: await spool(source, room), contentType, filename };
    });
  } catch (error) {
    throw fileError(error, limits);
  }
}
