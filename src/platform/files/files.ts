/** Files of sellers (uploads, images) in PostgreSQL, in chunks: every replica sees them, every backup has them. */
import { createHash } from 'node:crypto';
import type { Db } from '../../kernel/context.ts';
import type { Ids } from '../../kernel/ids.ts';
import { sql } from '../db/sql.ts';

/** Small enough to stream with little memory, large enough to cost few rows. */
const CHUNK_BYTES = 512 * 1024;

export interface StoredFile {
  readonly file_id: string;
  readonly content_type: string;
  readonly bytes: number;
  readonly sha256: Buffer;
}

export interface NewFile {
  readonly sellerId: string;
  readonly purpose: 'feed' | 'image' | 'invoice';
  readonly contentType: string;
  readonly now: number;
  /** Absent: kept as long as something refers to it. */
  readonly expiresAt?: number;
}

export interface Files {
  /** Stores a file in the caller's transaction. */
  put(db: Db, file: NewFile, source: AsyncIterable<Buffer> | Iterable<Buffer>): Promise<StoredFile>;
  stat(db: Db, fileId: string): Promise<StoredFile | undefined>;
  /** The bytes, chunk by chunk; each chunk is read on its own. */
  read(db: Db, fileId: string): AsyncGenerator<Buffer>;
  remove(db: Db, fileId: string): Promise<void>;
}

/** Cuts a stream into pieces of one size, so that rows do not depend on how the network cut it. */
async function* rechunk(source: AsyncIterable<Buffer> | Iterable<Buffer>): AsyncGenerator<Buffer> {
  let held: Buffer[] = [];
  let size = 0;
  for await (const piece of source) {
    held.push(piece);
    size += piece.length;
    if (size < CHUNK_BYTES) continue;
    const all = Buffer.concat(held);
    let offset = 0;
    for (; all.length - offset >= CHUNK_BYTES; offset += CHUNK_BYTES)
      yield all.subarray(offset, offset + CHUNK_BYTES);
    held = offset < all.length ? [all.subarray(offset)] : [];
    size = all.length - offset;
  }
  if (size > 0) yield Buffer.concat(held);
}

export function createFiles(ids: Ids): Files {
  return {
    async put(db, file, source) {
      const fileId = ids.next('fil_');
      const expires = file.expiresAt === undefined ? null : new Date(file.expiresAt).toISOString();
      const insert =
        'insert into file (seller_id, file_id, purpose, content_type, bytes, sha256, created_at, expires_at) values ($1, $2, $3, $4, 0, $5, $6, $7)';
      await db.run(
        sql(insert, [
          file.sellerId,
          fileId,
          file.purpose,
          file.contentType,
          Buffer.alloc(0),
          new Date(file.now).toISOString(),
          expires,
        ]),
      );
      const hash = createHash('sha256');
      let bytes = 0;
      let seq = 0;
      for await (const chunk of rechunk(source)) {
        hash.update(chunk);
        bytes += chunk.length;
        await db.run(
          sql('insert into file_chunk (seller_id, file_id, seq, data) values ($1, $2, $3, $4)', [
            file.sellerId,
            fileId,
            seq,
            chunk,
          ]),
        );
        seq += 1;
      }
      const sha256 = hash.digest();
      await db.run(
        sql('update file set bytes = $2, sha256 = $3 where file_id = $1', [fileId, bytes, sha256]),
      );
      return { file_id: fileId, content_type: file.contentType, bytes, sha256 };
    },
    async stat(db, fileId) {
      const row = await db.one<Omit<StoredFile, 'bytes'> & { bytes: bigint }>(
        sql('select file_id, content_type, bytes, sha256 from file where file_id = $1', [fileId]),
      );
      return row && { ...row, bytes: Number(row.bytes) };
    },
    async *read(db, fileId) {
      for (let seq = 0; ; seq += 1) {
        const row = await db.one<{ data: Buffer }>(
          sql('select data from file_chunk where file_id = $1 and seq = $2', [fileId, seq]),
        );
        if (row === undefined) return;
        yield row.data;
      }
    },
    async remove(db, fileId) {
      await db.run(sql('delete from file where file_id = $1', [fileId]));
    },
  };
}
