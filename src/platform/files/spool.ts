/**
 * Stores an upload in a temporary file while it is checked, so that it does not need memory. The file has no name, so
 * the system deletes it when the process ends, even by a kill.
 */
import { createHash, randomBytes } from 'node:crypto';
import { type FileHandle, open, unlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const READ_BYTES = 256 * 1024;
/** Network packets are collected to this size, so that one system call writes many. */
const WRITE_BYTES = 256 * 1024;

export interface Spool extends AsyncDisposable {
  readonly bytes: number;
  readonly sha256: Buffer;
  /** Reads from the beginning, any number of times. */
  read(): AsyncGenerator<Buffer>;
}

interface SpoolLimits {
  readonly maxBytes: number;
  /** Makes the error for a longer stream. */
  readonly tooLarge: () => Error;
  /** The most bytes of all spools of this process together. */
  readonly maxTotalBytes: number;
  /** Makes the error if that limit is reached or the disk is full. */
  readonly full: () => Error;
}

/** The bytes of all open spools. They share a disk, often with the embedded database. */
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

/** Stores a stream within the limits; disposing of the spool frees its bytes. */
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
