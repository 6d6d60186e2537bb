/**
 * Holds an upload outside memory while it is checked: a temporary file whose name is removed at once, so that
 * nothing is left behind whatever ends the process.
 */
import { createHash, randomBytes } from 'node:crypto';
import { type FileHandle, open, unlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const READ_BYTES = 256 * 1024;
/** Writes are collected to this size: one system call for many network packets. */
const WRITE_BYTES = 256 * 1024;

export interface Spool extends AsyncDisposable {
  readonly bytes: number;
  readonly sha256: Buffer;
  /** Reads from the beginning; may be called again and again. */
  read(): AsyncGenerator<Buffer>;
}

export interface SpoolLimits {
  readonly maxBytes: number;
  /** Makes the error of a stream that is longer. */
  readonly tooLarge: () => Error;
  /** Most bytes of all spools of this process together. */
  readonly maxTotalBytes: number;
  /** Makes the error when there is no room: by that limit, or on the disk. */
  readonly full: () => Error;
}

/** What all open spools hold: they share one disk, often with the embedded database. */
let totalBytes = 0;

async function* readFrom(file: FileHandle, bytes: number): AsyncGenerator<Buffer> {
  for (let position = 0; position < bytes; ) {
    const chunk = Buffer.allocUnsafe(Math.min(READ_BYTES, bytes - position));
    const { bytesRead } = await file.read(chunk, 0, chunk.length, position);
    if (bytesRead === 0) throw new Error('the spooled file ended early');
    position += bytesRead;
    yield chunk.subarray(0, bytesRead);
  }
}

/** Stores a stream within the limits; its room is given back when it is disposed of. */
export async function spool(source: AsyncIterable<Buffer>, limits: SpoolLimits): Promise<Spool> {
  const path = join(tmpdir(), `spp-${process.pid}-${randomBytes(12).toString('hex')}`);
  const file = await open(path, 'wx+', 0o600);
  await unlink(path);
  let bytes = 0;
  const release = async (): Promise<void> => {
    totalBytes -= bytes;
    bytes = 0;
    await file.close();
  };
  try {
    const hash = createHash('sha256');
    let held: Buffer[] = [];
    let heldBytes = 0;
    const flush = async (): Promise<void> => {
      if (held.length > 0) await file.writev(held);
      held = [];
      heldBytes = 0;
    };
    for await (const chunk of source) {
      bytes += chunk.length;
      totalBytes += chunk.length;
      if (bytes > limits.maxBytes) throw limits.tooLarge();
      if (totalBytes > limits.maxTotalBytes) throw limits.full();
      hash.update(chunk);
      held.push(chunk);
      heldBytes += chunk.length;
      if (heldBytes >= WRITE_BYTES) await flush();
    }
    await flush();
    const stored = bytes;
    return {
      bytes: stored,
      sha256: hash.digest(),
      read: () => readFrom(file, stored),
      [Symbol.asyncDispose]: release,
    };
  } catch (error) {
    await release();
    throw (error as NodeJS.ErrnoException).code === 'ENOSPC' ? limits.full() : error;
  }
}
