/** Refuses a PDF that is cut off, encrypted, or can do something when it is opened. Source: ISO 32000-2. */
import { constants, createInflate } from 'node:zlib';
import type { FileProblem } from './errors.ts';
import { decodeNames, objectsIn, type PdfObject, STREAM } from './pdf-objects.ts';

const TAIL_BYTES = 1_024;
const STREAMS_MAX = 10_000;
const INFLATED_BYTES_MAX = 50 * 1024 * 1024;
/** Streams of a sound file do not overlap, so each byte is read once, or again if its stream is damaged. */
const READ_TIMES_MAX = 4;
const DAMAGED_MAX = 100;
/** Objects of a sound file do not overlap either. */
const OBJECTS_READ_TIMES_MAX = 2;
const PIECE_BYTES = 1_024;

/** Forms of the kind `XFA` have scripts in XML. `EF` names an attached file, whose own type may be left out. */
const ACTIVE =
  /\/(?:JavaScript|JS|Launch|EmbeddedFiles?|RichMedia|XFA)(?![A-Za-z0-9])|\/EF\s*(?:<<|\d+\s+\d+\s+R)/;
/** In compressed bytes, pictures and fonts the shortest of these names occur by chance. */
const ACTIVE_IN_BYTES = /\/(?:JavaScript|Launch|EmbeddedFiles?|RichMedia)(?![A-Za-z0-9])/;
const ENCRYPTED = /\/Encrypt(?![A-Za-z0-9])/;
const PAGE = /\/Type\s*\/Page(?![A-Za-z0-9])/g;

/** A stream of objects says where its first object begins. */
const OBJECTS = /\/First(?![A-Za-z0-9])/;
/** What hides such objects from a search, except one filter that is named here and inflates. */
const FILTERS = /\/(?:Filter|FFilter|F|DecodeParms|DP)(?![A-Za-z0-9])/g;
const DEFLATED = /\/Filter\s*(?:\/Fl(?:ateDecode)?(?![A-Za-z0-9])|\[\s*\/Fl(?:ateDecode)?\s*\])/;
const PICTURE_OR_FONT = /\/Subtype\s*\/(?:Image|Type1C|CIDFontType0C|OpenType)(?![A-Za-z0-9])|\/Length1\s/;
/** The end of a ZIP archive, which may be followed by a comment: the file would be an archive too. */
const ARCHIVE_END = 'PK\x05\x06';
const ARCHIVE_TAIL_BYTES = 22 + 65_535;

/** Whether two bytes begin a zlib stream (RFC 1950). */
const isZlib = (first = 0, second = 0): boolean => (first & 15) === 8 && (first * 256 + second) % 31 === 0;

interface Place {
  readonly start: number;
  readonly end: number;
}

/** Where the bytes of each stream begin and end; undefined if there are too many. */
function streamsIn(text: string): Place[] | undefined {
  const streams: Place[] = [];
  let end = 0;
  for (const { index, 0: word } of text.matchAll(STREAM)) {
    const start = index + word.length;
    if (streams.length === STREAMS_MAX) return undefined;
    if (end < start) end = text.indexOf('endstream', start);
    if (end === -1) end = text.length;
    streams.push({ start, end });
  }
  return streams;
}

/** What a file may still cost. */
interface Budget {
  inflated: number;
  read: number;
  damaged: number;
}
const isSpent = ({ inflated, read, damaged }: Budget): boolean => Math.min(inflated, read, damaged) < 0;

interface Inflated {
  readonly plain: Buffer;
  /** How many bytes were read without an error. */
  readonly read: number;
  readonly failed: boolean;
}

/** Inflates bytes until their end, an error, or the end of the budget. What comes before an error is given. */
function inflate(pieces: Iterator<Buffer>, budget: Budget): Promise<Inflated> {
  const engine = createInflate({ finishFlush: constants.Z_SYNC_FLUSH });
  const parts: Buffer[] = [];
  let failed = false;
  engine.on('data', (part: Buffer) => {
    parts.push(part);
    budget.inflated -= part.length;
    if (budget.inflated < 0 || engine.bytesWritten > budget.read) engine.destroy();
  });
  engine.on('error', () => {
    failed = true;
  });
  // The file goes on after the zlib data.
  engine.on('end', () => engine.destroy());
  const feed = (error?: Error | null): void => {
    if (error) return;
    const { value, done } = pieces.next();
    if (done === true) engine.end();
    else engine.write(value, feed);
  };
  return new Promise((resolve) => {
    engine.on('close', () => {
      budget.read -= engine.bytesWritten;
      resolve({ plain: Buffer.concat(parts), read: engine.bytesWritten, failed });
    });
    feed();
  });
}

function* piecesOf(bytes: Buffer, size: number): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

/**
 * Inflates one stream. The end of the zlib data ends it, whatever its dictionary says. Readers show what comes before
 * an error, but zlib withholds what it has made of the piece with the error. So that piece is read byte by byte.
 */
async function inflateStream(bytes: Buffer, budget: Budget): Promise<Buffer> {
  const { plain, read, failed } = await inflate(piecesOf(bytes, PIECE_BYTES), budget);
  if (!failed) return plain;
  budget.damaged -= 1;
  if (isSpent(budget)) return plain;
  function* again(): Generator<Buffer> {
    yield* piecesOf(bytes.subarray(0, read), PIECE_BYTES);
    yield* piecesOf(bytes.subarray(read, read + PIECE_BYTES), 1);
  }
  return (await inflate(again(), budget)).plain;
}

/** The texts of the streams that inflate, by their offsets; undefined if they cost too much together. */
async function inflatedTexts(
  bytes: Buffer,
  streams: readonly Place[],
): Promise<Map<number, string> | undefined> {
  const texts = new Map<number, string>();
  const read = READ_TIMES_MAX * bytes.length;
  const budget: Budget = { inflated: INFLATED_BYTES_MAX, read, damaged: DAMAGED_MAX };
  for (const { start } of streams) {
    if (!isZlib(bytes[start], bytes[start + 1])) continue;
    const plain = await inflateStream(bytes.subarray(start), budget);
    texts.set(start, decodeNames(plain.toString('latin1')));
    if (isSpent(budget)) return undefined;
  }
  return texts;
}

/** The bytes between the streams. */
function outside(text: string, streams: readonly Place[]): string {
  let at = 0;
  const parts: string[] = [];
  for (const { start, end } of streams) {
    if (start > at) parts.push(text.slice(at, start));
    at = Math.max(at, end);
  }
  return decodeNames([...parts, text.slice(at)].join('\n'));
}

/** The texts in which a short name is no chance; undefined if a stream hides its objects. */
function meantTexts(
  text: string,
  objects: readonly PdfObject[],
  inflated: ReadonlyMap<number, string>,
): string[] | undefined {
  const texts = new Map(inflated);
  for (const { text: own, stream } of objects) {
    if (stream === undefined) continue;
    const filters = [...own.matchAll(FILTERS)].length;
    if (!OBJECTS.test(own)) {
      if (PICTURE_OR_FONT.test(own)) texts.delete(stream);
    } else if (filters === 0) {
      const end = text.indexOf('endstream', stream);
      texts.set(stream, decodeNames(text.slice(stream, end < 0 ? undefined : end)));
    } else if (filters > 1 || !DEFLATED.test(own) || !inflated.has(stream)) return undefined;
  }
  return [...objects.map(({ text: own }) => own), ...texts.values()];
}

/** @returns the number of pages, null if it is not known, or the problem */
export async function checkPdf(bytes: Buffer): Promise<{ readonly pages: number | null } | FileProblem> {
  const text = bytes.toString('latin1');
  if (!text.startsWith('%PDF-') || !text.slice(-TAIL_BYTES).includes('%%EOF')) return 'attachment_unreadable';
  if (text.slice(-ARCHIVE_TAIL_BYTES).includes(ARCHIVE_END)) return 'attachment_unreadable';
  const streams = streamsIn(text);
  const objects = objectsIn(text, OBJECTS_READ_TIMES_MAX * text.length);
  if (streams === undefined || objects === undefined) return 'attachment_unreadable';
  const all = decodeNames(text);
  if (ENCRYPTED.test(all)) return 'attachment_encrypted';
  const inflated = await inflatedTexts(bytes, streams);
  if (inflated === undefined) return 'attachment_unreadable';
  const between = outside(text, streams);
  const meant = meantTexts(text, objects, inflated);
  if (meant === undefined || [between, ...meant].some((part) => ACTIVE.test(part)))
    return 'attachment_active_content';
  const readable = [between, ...inflated.values()];
  if ([all, ...readable].some((part) => ACTIVE_IN_BYTES.test(part))) return 'attachment_active_content';
  const pages = readable.reduce((sum, part) => sum + [...part.matchAll(PAGE)].length, 0);
  return { pages: pages === 0 ? null : pages };
}
