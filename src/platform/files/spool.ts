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

async function* readFrom(file: FileHandle, bytes: number): AsyncGenerator<Buffer> {
  for (let position = 0; position < bytes; ) {
    const chunk = Buffer.allocUnsafe(Math.min(READ_BYTES, bytes - position));
    const { bytesRead } = await file.read(chunk, 0, chunk.length, position);
    if (bytesRead === 0) throw new Error('the spooled file ended early');
    position += bytesRead;
    yield chunk.subarray(0, bytesRead);
  }
}

/** Stores a stream of at most `maxBytes`; `tooLarge` makes the error when it is more. */
export async function spool(
  source: AsyncIterable<Buffer>,
  maxBytes: number,
  tooLarge: () => Error,
): Promise<Spool> {
  const path = join(tmpdir(), `spp-${process.pid}-${randomBytes(12).toString('hex')}`);
  const file = await open(path, 'wx+', 0o600);
  await unlink(path);
  try {
    const hash = createHash('sha256');
    let bytes = 0;
    let held: Buffer[] = [];
    let heldBytes = 0;
    const flush = async (): Promise<void> => {
      if (held.length > 0) await file.writev(held);
      held = [];
      heldBytes = 0;
    };
    for await (const chunk of source) {
      bytes += chunk.length;
      if (bytes > maxBytes) throw tooLarge();
      hash.update(chunk);
      held.push(chunk);
      heldBytes += chunk.length;
      if (heldBytes >= WRITE_BYTES) await flush();
    }
    await flush();
    return {
      bytes,
      sha256: hash.digest(),
      read: () => readFrom(file, bytes),
      [Symbol.asyncDispose]: () => file.close(),
    };
  } catch (error) {
    await file.close();
    throw error;
  }
}
