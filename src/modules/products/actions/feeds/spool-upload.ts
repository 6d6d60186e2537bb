/**
 * Writes an upload to the disk. It may be raw or multipart, plain or gzip. The size limit holds before and after
 * decompression.
 */
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
  guessContentType,
  isGzipFile,
  isUnstated,
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

/** Most bytes that a multipart body adds to its file. */
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
    throw wrongType(
      `The content encoding ${JSON.stringify(encoding)} is not supported. Use gzip, or no Content-Encoding.`,
    );
  return inflateLimited(source, limits.max_bytes);
}

/** Turns errors of a file into API errors. */
function fileError(error: unknown, limits: FeedLimits): unknown {
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
const SECOND_FILE = 'The multipart body has more than one file. Send each file in its own request.';
const brokenMultipart = (error: Error) =>
  invalidMultipart('multipart_invalid', `The multipart body cannot be read: ${error.message}.`);

function multipartParser(contentType: string): BusboyInstance {
  try {
    return new Busboy({ headers: { 'content-type': contentType }, limits: MULTIPART_LIMITS });
  } catch (error) {
    throw brokenMultipart(error as Error);
  }
}

/** Finds the only file of a multipart body; a second file is rejected. */
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
        if (upload === undefined) reject(invalidMultipart('file_missing', 'The multipart body has no file.'));
        else resolve(upload);
      });
      body.on('error', reject);
      body.pipe(parser);
    });
  } catch (error) {
    // The upload of the file may have ended, or may wait for bytes that never arrive.
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

/** Most characters of a stored file name. */
const FILENAME_MAX = 255;

/** Removes folders, control characters, and characters that turn the direction or the line of other texts. */
function cleanFilename(filename: string | null): string | null {
  const name = filename
    ?.toWellFormed()
    .replace(/^.*[/\\]/s, '')
    .replace(/[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}]/gu, '');
  return name === undefined || name === '' ? null : name.slice(0, FILENAME_MAX).toWellFormed();
}

/** The text at the beginning of a file, and the whole file. */
async function peek(source: AsyncIterable<Buffer>) {
  const iterator = source[Symbol.asyncIterator]();
  const first = await iterator.next();
  async function* all(): AsyncGenerator<Buffer> {
    try {
      for (let piece = first; piece.done !== true; piece = await iterator.next()) yield piece.value;
    } finally {
      await iterator.return?.();
    }
  }
  return { start: first.done === true ? '' : first.value.toString('utf8'), all: all() };
}

function requireType(type: FeedContentType | undefined, stated: string): FeedContentType {
  if (type !== undefined) return type;
  throw wrongType(
    stated === ''
      ? `Set Content-Type to one of: ${CONTENT_TYPES.join(', ')}.`
      : `Feeds do not accept the content type ${JSON.stringify(stated.slice(0, 100))}. Use one of: ${CONTENT_TYPES.join(', ')}.`,
  );
}

/**
 * @param maxTotalBytes disk space for all uploads of this process
 * @throws ApiError 413 `feed_too_large`, 415 `feed_content_type`, 422 `feed_validation_failed`, 503 `feed_no_room`
 */
export async function spoolUpload(
  request: UploadRequest,
  limits: FeedLimits,
  maxTotalBytes: number,
): Promise<Upload> {
  const tooLarge = () =>
    feedFailure(feedErrors.feed_too_large, {
      detail: `The file must have at most ${limits.max_bytes} bytes.`,
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
      const source = inflated(request.stream, encoding, limits);
      if (isUnstated(media)) {
        const { start, all } = await peek(source);
        const stored = await spool(all, room);
        return { spool: stored, contentType: guessContentType(start), filename: null };
      }
      const contentType = requireType(feedContentType(media), media);
      return { spool: await spool(source, room), contentType, filename: null };
    }
    return await onlyFile(inflated(request.stream, encoding, limits), type, async (part) => {
      const partType = mediaType(part.type);
      const contentType = requireType(contentTypeOfFile(partType, part.filename), partType);
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
