import { pipeline, Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { FeedFileError } from './feed-file-error.ts';
import type { ByteSource } from './records.ts';

/** The size of a piece of output. The output can exceed the limit by at most this size. */
const CHUNK_BYTES = 64 * 1024;

/**
 * Inflates gzip (RFC 1952, several members allowed) and stops when the output exceeds `maxBytes`.
 *
 * @throws FeedFileError `feed_too_large` over the limit; `gzip_invalid` for bytes that are not gzip, a wrong checksum, an
 *   early end, or data after the last member
 * @throws the errors of `source`
 */
export async function* inflateLimited(source: ByteSource, maxBytes: number): AsyncGenerator<Buffer> {
  const input = { bytes: 0 };
  const gunzip = createGunzip({ chunkSize: CHUNK_BYTES });
  // The callback only marks the error as handled. The loop below gets it from the stream.
  pipeline(Readable.from(counted(source, input)), gunzip, () => {});
  let out = 0;
  try {
    for await (const chunk of gunzip as AsyncIterable<Buffer>) {
      out += chunk.length;
      if (out > maxBytes) {
        throw new FeedFileError('feed_too_large', `The file inflates to more than ${maxBytes} bytes.`);
      }
      yield chunk;
    }
  } catch (error) {
    if (!isZlibError(error)) throw error;
    throw new FeedFileError('gzip_invalid', `The file is not valid gzip: ${error.message}.`, {
      cause: error,
    });
  } finally {
    gunzip.destroy();
  }
  // zlib stops at a NUL after a member and ignores the remaining bytes.
  if (gunzip.bytesWritten !== input.bytes) {
    throw new FeedFileError('gzip_invalid', 'The file is not valid gzip: something follows its end.');
  }
}

async function* counted(source: ByteSource, input: { bytes: number }): AsyncGenerator<Buffer> {
  for await (const chunk of source) {
    input.bytes += chunk.length;
    yield chunk;
  }
}

function isZlibError(error: unknown): error is Error {
  return error instanceof Error && 'code' in error && /^Z_[A-Z]+_ERROR$/.test(String(error.code));
}
