/** Refuses a PDF that is cut off, encrypted, or can do something when it is opened. Source: ISO 32000-2. */
import { promisify } from 'node:util';
import { constants, inflate } from 'node:zlib';
import type { FileProblem } from './errors.ts';

const inflateAsync = promisify(inflate);
const TAIL_BYTES = 1_024;
const INFLATED_BYTES_MAX = 50 * 1024 * 1024;

/** A name may write its characters as `#xx`. */
const named = (text: string): string =>
  text.replace(/#([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));

const ACTIVE = /\/(?:JavaScript|JS|Launch|EmbeddedFiles?|RichMedia)(?![A-Za-z0-9])/;
/** In compressed bytes of a stream the shortest of these names occurs by chance. */
const ACTIVE_IN_BYTES = /\/(?:JavaScript|Launch|EmbeddedFiles?|RichMedia)(?![A-Za-z0-9])/;
const ENCRYPTED = /\/Encrypt(?![A-Za-z0-9])/;
const PAGE = /\/Type\s*\/Page(?![A-Za-z0-9])/g;

/** Whether two bytes begin a zlib stream (RFC 1950). */
const isZlib = (first = 0, second = 0): boolean => (first & 15) === 8 && (first * 256 + second) % 31 === 0;

/** Where the bytes of each stream begin and end. */
function streamsIn(text: string): { readonly start: number; readonly end: number }[] {
  const starts = [...text.matchAll(/stream\r?\n/g)].map(({ index, 0: word }) => index + word.length);
  return starts.map((start) => {
    const end = text.indexOf('endstream', start);
    return { start, end: end === -1 ? text.length : end };
  });
}

/**
 * Inflates one stream. The end of the zlib data ends it, whatever its dictionary says; readers take a cut one too.
 *
 * @returns undefined if it is no zlib data
 * @throws RangeError above `maxBytes`
 */
async function inflateStream(
  bytes: Buffer,
  { start, end }: { readonly start: number; readonly end: number },
  maxBytes: number,
): Promise<Buffer | undefined> {
  if (!isZlib(bytes[start], bytes[start + 1])) return undefined;
  const options = { maxOutputLength: maxBytes, finishFlush: constants.Z_SYNC_FLUSH };
  for (const last of [bytes.length, end, end - 1, end - 2])
    try {
      return await inflateAsync(bytes.subarray(start, last), options);
    } catch (error) {
      if (error instanceof RangeError) throw error;
    }
  return undefined;
}

/** The texts of the streams that inflate; undefined if they are too large together. */
async function inflatedTexts(
  bytes: Buffer,
  streams: readonly { readonly start: number; readonly end: number }[],
): Promise<string[] | undefined> {
  const texts: string[] = [];
  let left = INFLATED_BYTES_MAX;
  try {
    for (const stream of streams) {
      const plain = await inflateStream(bytes, stream, left);
      if (plain === undefined) continue;
      left -= plain.length;
      texts.push(plain.toString('latin1'));
    }
  } catch {
    return undefined;
  }
  return texts;
}

/** The bytes between the streams. */
function outside(text: string, streams: readonly { readonly start: number; readonly end: number }[]): string {
  let at = 0;
  const parts: string[] = [];
  for (const { start, end } of streams) {
    if (start > at) parts.push(text.slice(at, start));
    at = Math.max(at, end);
  }
  return [...parts, text.slice(at)].join('\n');
}

/** @returns the number of pages, null if it is not known, or the problem */
export async function checkPdf(bytes: Buffer): Promise<{ readonly pages: number | null } | FileProblem> {
  const text = bytes.toString('latin1');
  if (!text.startsWith('%PDF-') || !text.slice(-TAIL_BYTES).includes('%%EOF')) return 'attachment_unreadable';
  const streams = streamsIn(text);
  const all = named(text);
  if (ENCRYPTED.test(all)) return 'attachment_encrypted';
  const inflated = await inflatedTexts(bytes, streams);
  if (inflated === undefined) return 'attachment_unreadable';
  const readable = [outside(text, streams), ...inflated].map(named);
  if (ACTIVE_IN_BYTES.test(all) || readable.some((part) => ACTIVE.test(part)))
    return 'attachment_active_content';
  const pages = readable.reduce((sum, part) => sum + [...part.matchAll(PAGE)].length, 0);
  return { pages: pages === 0 ? null : pages };
}
