import type { ByteSource } from '../records.ts';

const UTF8_BOM = Buffer.from([0xef, 0xbb, 0xbf]);

/** The bytes of `source` without a leading UTF-8 byte order mark, also when it comes in single bytes. */
export async function* withoutBom(source: ByteSource): AsyncGenerator<Buffer> {
  let head: Buffer | undefined = Buffer.alloc(0);
  for await (const chunk of source) {
    if (head === undefined) {
      yield chunk;
      continue;
    }
    head = head.length === 0 ? chunk : Buffer.concat([head, chunk]);
    if (head.length < UTF8_BOM.length && UTF8_BOM.subarray(0, head.length).equals(head)) continue;
    yield head.subarray(0, UTF8_BOM.length).equals(UTF8_BOM) ? head.subarray(UTF8_BOM.length) : head;
    head = undefined;
  }
  if (head !== undefined && head.length > 0) yield head;
}
