/** Files of sellers in PostgreSQL, in chunks, so that every replica can read them and every backup holds them. */
import { createHash } from 'node:crypto';
import type { Db, Statement } from '../../kernel/context.ts';
import type { Ids } from '../../kernel/ids.ts';
import { bigint, bytes, text } from '../db/columns.ts';
import { command, statement } from '../db/statement.ts';

/** Small enough to stream with little memory, large enough to cost few rows. */
const CHUNK_BYTES = 512 * 1024;

interface StoredFile {
  readonly file_id: string;
  readonly content_type: string;
  readonly bytes: number;
  readonly sha256: Buffer;
}

export interface NewFile {
  /** Default: a new id. */
  readonly fileId?: string;
  readonly sellerId: string;
  readonly purpose: 'feed' | 'image' | 'invoice' | 'attachment';
  readonly contentType: string;
  readonly now: number;
  /** Without it the file is kept as long as a row refers to it. */
  readonly expiresAt?: number;
}

export interface Files {
  /** Stores a file in the caller's transaction. */
  put(db: Db, file: NewFile, source: AsyncIterable<Buffer> | Iterable<Buffer>): Promise<StoredFile>;
  stat(db: Db, fileId: string): Promise<StoredFile | undefined>;
  /** The bytes of one chunk, from 0; undefined after the last one. */
  chunk(db: Db, fileId: string, seq: number): Promise<Buffer | undefined>;
  /** Reads the bytes, one statement for each chunk. */
  read(db: Db, fileId: string): AsyncGenerator<Buffer>;
  /** The seller of an image that is in use. In the system's scope. */
  imageOwner(db: Db, fileId: string): Promise<string | undefined>;
  remove(db: Db, fileId: string): Promise<void>;
}

/** Large pieces are cut without a copy. */
const joined = (pieces: readonly Buffer[]): Buffer => {
  const [first] = pieces;
  return first !== undefined && pieces.length === 1 ? first : Buffer.concat(pieces);
};

/** Cuts a stream into pieces of one size. */
async function* rechunk(source: AsyncIterable<Buffer> | Iterable<Buffer>): AsyncGenerator<Buffer> {
  let held: Buffer[] = [];
  let size = 0;
  for await (const piece of source) {
    let rest = piece;
    while (size + rest.length >= CHUNK_BYTES) {
      const cut = CHUNK_BYTES - size;
      yield joined([...held, rest.subarray(0, cut)]);
      rest = rest.subarray(cut);
      held = [];
      size = 0;
    }
    if (rest.length > 0) held.push(rest);
    size += rest.length;
  }
  if (size > 0) yield joined(held);
}

async function chunk(db: Db, fileId: string, seq: number): Promise<Buffer | undefined> {
  const row = await db.one(statement({ data: bytes })`
    select data
      from file_chunk
     where file_id = ${fileId} and seq = ${seq}`);
  return row?.data;
}

/** Files in the caller's transaction. */
export function createFiles(ids: Ids): Files {
  return {
    async put(db, file, source) {
      const { sellerId, purpose, contentType, now, expiresAt, fileId = ids.next('fil_') } = file;
      const expires = expiresAt === undefined ? null : new Date(expiresAt).toISOString();
      const createdAt = new Date(now).toISOString();
      /** The next chunk is made while PostgreSQL stores this one, so its failure is noticed with the next one. */
      const send = (statement: Statement<never>): Promise<unknown> => {
        const sent = db.run(statement);
        sent.catch(() => undefined);
        return sent;
      };
      let written = send(command`
        insert into file (seller_id, file_id, purpose, content_type, bytes, sha256, created_at, expires_at)
        values (${sellerId}, ${fileId}, ${purpose}, ${contentType}, 0, ${Buffer.alloc(0)}, ${createdAt}, ${expires})`);
      const hash = createHash('sha256');
      let size = 0;
      let seq = 0;
      for await (const chunk of rechunk(source)) {
        await written;
        written = send(command`
          insert into file_chunk (seller_id, file_id, seq, data)
          values (${sellerId}, ${fileId}, ${seq}, ${chunk})`);
        hash.update(chunk);
        size += chunk.length;
        seq += 1;
      }
      await written;
      const sha256 = hash.digest();
      await db.run(command`
        update file
           set bytes = ${size}, sha256 = ${sha256}
         where file_id = ${fileId}`);
      return { file_id: fileId, content_type: contentType, bytes: size, sha256 };
    },
    async stat(db, fileId) {
      const row = await db.one(statement({ file_id: text, content_type: text, bytes: bigint, sha256: bytes })`
        select file_id, content_type, bytes, sha256
          from file
         where file_id = ${fileId}`);
      return row && { ...row, bytes: Number(row.bytes) };
    },
    async *read(db, fileId) {
      for (let seq = 0; ; seq += 1) {
        const data = await chunk(db, fileId, seq);
        if (data === undefined) return;
        yield data;
      }
    },
    chunk,
    async imageOwner(db, fileId) {
      const row = await db.one(statement({ seller_id: text })`
        select seller_id
          from file
         where file_id = ${fileId} and purpose = 'image' and expires_at is null`);
      return row?.seller_id;
    },
    async remove(db, fileId) {
      await db.run(command`delete from file where file_id = ${fileId}`);
    },
  };
}
