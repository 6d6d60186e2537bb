/** Refuses a PDF that is cut off, encrypted, or can do something when it is opened. Source: ISO 32000-2. */
import { constants, createInflateRaw } from 'node:zlib';
import type { FileProblem } from './errors.ts';
import { opensAddress } from './opened-address.ts';
import {
  hasCount,
  hasPlainObjects,
  isColourProfile,
  type NumberedObject,
  objectsIn,
  objectsInStream,
  type PdfObject,
  readHead,
  readsOtherFile,
  STREAM,
  statedBytes,
} from './pdf-objects.ts';
import { plainText } from './pdf-syntax.ts';

const TAIL_BYTES = 1_024;
const STREAMS_MAX = 10_000;
const INFLATED_BYTES_MAX = 50 * 1024 * 1024;
/**
 * Twelve scans of A4 in colour at 300 dpi, or two pages at 720 dpi, which Ghostscript makes of transparent ones. Pictures
 * are searched while they inflate, and not kept.
 */
const PICTURE_BYTES_MAX = 320 * 1024 * 1024;
/** Streams of a sound file do not overlap, so each byte is read once, or again if its stream is damaged. */
const READ_TIMES_MAX = 4;
const DAMAGED_MAX = 100;
/** Objects of a sound file do not overlap either. */
const OBJECTS_READ_TIMES_MAX = 2;
/** With its entry in the table each object takes about 60 bytes. */
const OBJECTS_MAX = 200_000;
const PIECE_BYTES = 1_024;
const PICTURE_PIECE_BYTES = 65_536;

/**
 * Names of what runs, is attached, or starts; and of actions that send data, read files, or open another file, which may
 * be on a server that gets the reader's name. `OnInstantiate` is the script of a model in space.
 */
const LONG_NAMES = [
  ...['JavaScript', 'Launch', 'EmbeddedFile', 'EmbeddedFiles', 'RichMedia', 'OnInstantiate'],
  ...['SubmitForm', 'ImportData', 'GoToR', 'GoToE', 'Rendition', 'Movie'],
];
/** Reads an article of another file. An honest article says that it is one, first or last in its dictionary. */
const THREAD = '(?<!<< ?/Type ?)/Thread(?![A-Za-z0-9])(?<!/Type ?/Thread(?= ?>>))';
/**
 * Forms of the kind `XFA` have scripts in XML. `EF` names an attached file, whose own type may be left out, and `FS` one
 * behind a web address.
 */
const ACTIVE = new RegExp(
  `/(?:${[...LONG_NAMES, 'JS', 'XFA'].join('|')})(?![A-Za-z0-9])|/EF[ \\xff]?(?:<<|[-+.\\d \\xff]+R)|/FS[ \\xff]?/URL(?![A-Za-z0-9])|${THREAD}`,
);
/** A name that is active for a reader that stops earlier in it. */
const BEGINS_ACTIVE = new RegExp(`/(?:${LONG_NAMES.join('|')})`);
/** A character of a name, which may be written as `#xx`. */
const inBytes = (character: string): string => {
  const code = character.charCodeAt(0).toString(16);
  return `(?:${character}|#${code.replace(/[a-f]/, (digit) => `[${digit}${digit.toUpperCase()}]`)})`;
};
/** In compressed bytes, pictures and fonts the short names occur by chance. */
const ACTIVE_IN_BYTES = new RegExp(
  `/(?:${LONG_NAMES.map((name) => [...name].map(inBytes).join('')).join('|')})(?![A-Za-z0-9])`,
);
const ENCRYPTED = /\/Encrypt(?![A-Za-z0-9])/;
const PAGE = /\/Type ?\/Page(?![A-Za-z0-9])/g;

/** Words that no dictionary or array has. Some readers begin there what others read as a part of it. */
const MISPLACED = /[ \xff()<>[\]{}](?:BI|stream)(?![A-Za-z0-9])/;

/** A name of which each character is escaped, and the character after it. */
const NAME_BYTES_MAX = 1 + 3 * Math.max(...LONG_NAMES.map(({ length }) => length)) + 1;

/** A stream of objects says where its first object begins. */
const OBJECTS = /\/(?:First|ObjStm)(?![A-Za-z0-9])/;
/** Some readers need only the number of its objects. */
const mayHaveObjects = (text: string): boolean => OBJECTS.test(text) || hasCount(text);
const PICTURE_OR_FONT = /\/Subtype ?\/(?:Image|Type1C|CIDFontType0C|OpenType)(?![A-Za-z0-9])|\/Length1 /;
const PICTURE = /\/Subtype ?\/Image(?![A-Za-z0-9])/;
const SIDES = ['Width', 'Height'].map((side) => new RegExp(`/${side} (\\d{1,6})(?![\\d.]| \\d+ R)`));
/** Four colours of 16 bits. */
const PIXEL_BYTES_MAX = 8;
/** Its text speaks of anything, and no reader looks for objects in it. */
const METADATA = /\/Subtype ?\/XML(?![A-Za-z0-9])/;
/** The end of a ZIP archive, which may be followed by a comment: the file would be an archive too. */
const ARCHIVE_END = 'PK\x05\x06';
const ARCHIVE_TAIL_BYTES = 22 + 65_535;

/** Bytes that begin a zlib stream (RFC 1950). No reader knows a dictionary that a stream may ask for. */
const ZLIB_HEAD_BYTES = 2;
const isZlib = (first = 0, second = 0): boolean =>
  (first & 15) === 8 && (first * 256 + second) % 31 === 0 && (second & 32) === 0;

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
  pictures: number;
  read: number;
  damaged: number;
}
const isSpent = (budget: Budget): boolean => Math.min(...Object.values(budget)) < 0;

interface Inflated {
  /** What comes before an error, or all. */
  readonly plain: Buffer;
  /** How many bytes were read without an error. */
  readonly read: number;
  readonly failed: boolean;
}

/**
 * Inflates bytes until their end, an error, or the end of what is wanted. What comes before an error is given.
 *
 * @param take gets each part; false: no more is wanted
 */
function inflate(
  pieces: Iterator<Buffer>,
  budget: Budget,
  take: (part: Buffer) => boolean,
): Promise<Omit<Inflated, 'plain'>> {
  // Readers do not compare the checksum after the data.
  const engine = createInflateRaw({ finishFlush: constants.Z_SYNC_FLUSH, chunkSize: PICTURE_PIECE_BYTES });
  let failed = false;
  engine.on('data', (part: Buffer) => {
    if (!take(part) || engine.bytesWritten > budget.read) engine.destroy();
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
      resolve({ read: engine.bytesWritten, failed });
    });
    feed();
  });
}

/** Inflates and keeps what comes. */
async function inflateWhole(pieces: Iterator<Buffer>, budget: Budget): Promise<Inflated> {
  const parts: Buffer[] = [];
  const end = await inflate(pieces, budget, (part) => {
    parts.push(part);
    budget.inflated -= part.length;
    return budget.inflated >= 0;
  });
  return { ...end, plain: Buffer.concat(parts) };
}

function* piecesOf(bytes: Buffer, size: number): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

/**
 * Inflates one stream. The end of the zlib data ends it, whatever its dictionary says. Readers show what comes before
 * an error, but zlib withholds what it has made of the piece with the error. So that piece is read byte by byte.
 */
async function inflateStream(bytes: Buffer, budget: Budget): Promise<Inflated> {
  const inflated = await inflateWhole(piecesOf(bytes, PIECE_BYTES), budget);
  const { read, failed } = inflated;
  if (!failed) return inflated;
  budget.damaged -= 1;
  if (isSpent(budget)) return inflated;
  function* again(): Generator<Buffer> {
    yield* piecesOf(bytes.subarray(0, read), PIECE_BYTES);
    yield* piecesOf(bytes.subarray(read, read + PIECE_BYTES), 1);
  }
  return inflateWhole(again(), budget);
}

/** The streams that inflate, by their offsets; undefined if they cost too much together. */
async function inflatedStreams(
  bytes: Buffer,
  streams: readonly Place[],
  budget: Budget,
): Promise<Map<number, Inflated> | undefined> {
  const found = new Map<number, Inflated>();
  for (const { start } of streams) {
    if (!isZlib(bytes[start], bytes[start + 1])) continue;
    found.set(start, await inflateStream(bytes.subarray(start + ZLIB_HEAD_BYTES), budget));
    if (isSpent(budget)) return undefined;
  }
  return found;
}

/** The most bytes that a picture has by its dictionary; undefined for what is none, or may be a stream of objects. */
function pictureBytes(text: string): number | undefined {
  if (!PICTURE.test(text) || mayHaveObjects(text)) return undefined;
  const [width, height] = SIDES.map((side) => Number(side.exec(text)?.[1]));
  const most = ((width ?? 0) * PIXEL_BYTES_MAX + 1) * (height ?? 0);
  return Number.isNaN(most) ? undefined : most;
}

/** Inflates pictures and searches them. @param pictures the most bytes of each, by their offsets */
async function searchPictures(
  bytes: Buffer,
  pictures: ReadonlyMap<number, number>,
  budget: Budget,
): Promise<FileProblem | undefined> {
  for (const [start, most] of pictures) {
    if (!isZlib(bytes[start], bytes[start + 1])) continue;
    let left = most;
    let end = '';
    let isActive = false;
    await inflate(piecesOf(bytes.subarray(start + ZLIB_HEAD_BYTES), PICTURE_PIECE_BYTES), budget, (part) => {
      left -= part.length;
      budget.pictures -= part.length;
      const text = end + part.toString('latin1');
      isActive ||= ACTIVE_IN_BYTES.test(text);
      end = text.slice(-NAME_BYTES_MAX);
      return !isActive && left >= 0 && budget.pictures >= 0;
    });
    if (isActive) return 'attachment_active_content';
    if (left < 0 || isSpent(budget)) return 'attachment_unreadable';
  }
  return undefined;
}

/** The bytes between the streams, and those within. @param skipped where streams begin that are left out */
function splitAt(streams: readonly Place[], bytes: Buffer, skipped: ReadonlySet<number>) {
  let at = 0;
  const between: Buffer[] = [];
  const within: string[] = [];
  for (const { start, end } of streams) {
    if (start > at) between.push(bytes.subarray(at, start), Buffer.from('\n'));
    if (end > at && !skipped.has(start)) within.push(bytes.toString('latin1', Math.max(at, start), end));
    at = Math.max(at, end);
  }
  return { between: Buffer.concat([...between, bytes.subarray(at)]), within: within.join('\n') };
}

/** A stream without a filter needs no inflating. */
const asInflated = (plain: Buffer | undefined): Inflated | undefined =>
  plain && { plain, read: 0, failed: false };

/**
 * Whether a stream hides its objects from a search, has two dictionaries, of which a reader takes either, or has its
 * bytes in another file.
 *
 * @param inflated gets the streams of objects that have no filter
 */
function hideObjects(bytes: Buffer, objects: readonly PdfObject[], inflated: Map<number, Inflated>): boolean {
  const owners = new Map<number, string>();
  let left = bytes.length;
  for (const { text, stream } of objects) {
    if (stream === undefined) continue;
    if (owners.has(stream) || readsOtherFile(text)) return true;
    owners.set(stream, text);
    if (!mayHaveObjects(text)) continue;
    const head = readHead(text);
    if (head !== undefined && head.first === undefined) {
      const profile = head.length === undefined ? inflated.get(stream)?.plain : bytes.subarray(stream);
      if (profile === undefined || !isColourProfile(profile)) return true;
      continue;
    }
    const { length } = head ?? {};
    const found =
      length === undefined ? inflated.get(stream) : asInflated(statedBytes(bytes, stream, length));
    left -= length ?? 0;
    if (head === undefined || found === undefined || found.failed || left < 0) return true;
    if (!hasPlainObjects(head, found.plain)) return true;
    // Some readers stop at the length that the dictionary says, which may be inside of the last name.
    if (BEGINS_ACTIVE.test(plainText(found.plain))) return true;
    inflated.set(stream, found);
  }
  return false;
}

/** The objects of the file, and those in its streams of objects. */
const allObjects = (
  objects: readonly PdfObject[],
  inflated: ReadonlyMap<number, Inflated>,
): readonly NumberedObject[] => [
  ...objects,
  ...objects.flatMap(({ text, stream }) => {
    const head = stream !== undefined && mayHaveObjects(text) ? readHead(text) : undefined;
    const plain = stream === undefined ? undefined : inflated.get(stream)?.plain;
    return head?.first === undefined || plain === undefined ? [] : objectsInStream(head, plain);
  }),
];

function countPages(text: string): number {
  let pages = 0;
  while (PAGE.test(text)) pages += 1;
  return pages;
}

/** @returns the number of pages, null if it is not known, or the problem */
export async function checkPdf(bytes: Buffer): Promise<{ readonly pages: number | null } | FileProblem> {
  const all = bytes.toString('latin1');
  if (!all.startsWith('%PDF-') || !all.slice(-TAIL_BYTES).includes('%%EOF')) return 'attachment_unreadable';
  if (all.slice(-ARCHIVE_TAIL_BYTES).includes(ARCHIVE_END)) return 'attachment_unreadable';
  const streams = streamsIn(all);
  const objects = objectsIn(bytes, all, {
    objects: OBJECTS_MAX,
    read: OBJECTS_READ_TIMES_MAX * bytes.length,
  });
  if (streams === undefined || objects === undefined) return 'attachment_unreadable';
  const streamsOf = (kind: RegExp): Set<number> =>
    new Set(objects.flatMap(({ text, stream }) => (stream !== undefined && kind.test(text) ? stream : [])));
  const metadata = streamsOf(METADATA);
  const { between, within } = splitAt(streams, bytes, metadata);
  const outside = plainText(between);
  const owns = objects.map((object) => object.text);
  if ([outside, ...owns].some((part) => ENCRYPTED.test(part))) return 'attachment_encrypted';
  const pictures = new Map<number, number>();
  for (const { text, stream } of objects) {
    const most = stream === undefined ? undefined : pictureBytes(text);
    if (stream !== undefined && most !== undefined) pictures.set(stream, most);
  }
  const budget: Budget = {
    ...{ inflated: INFLATED_BYTES_MAX, pictures: PICTURE_BYTES_MAX },
    ...{ read: READ_TIMES_MAX * bytes.length, damaged: DAMAGED_MAX },
  };
  const others = streams.filter(({ start }) => !pictures.has(start));
  const inflated = await inflatedStreams(bytes, others, budget);
  if (inflated === undefined) return 'attachment_unreadable';
  const isActive =
    [outside, ...owns].some((part) => ACTIVE.test(part)) ||
    owns.some((part) => MISPLACED.test(part)) ||
    ACTIVE_IN_BYTES.test(within) ||
    hideObjects(bytes, objects, inflated);
  if (isActive) return 'attachment_active_content';
  const problem = await searchPictures(bytes, pictures, budget);
  if (problem !== undefined) return problem;
  const inBytes = streamsOf(PICTURE_OR_FONT);
  const parts = [outside, ...owns];
  let pages = countPages(outside);
  for (const [start, { plain }] of inflated) {
    if (metadata.has(start)) continue;
    if (inBytes.has(start)) {
      if (ACTIVE_IN_BYTES.test(plain.toString('latin1'))) return 'attachment_active_content';
      continue;
    }
    const part = plainText(plain);
    if (ACTIVE.test(part)) return 'attachment_active_content';
    pages += countPages(part);
    parts.push(part);
  }
  if (opensAddress(parts, () => allObjects(objects, inflated))) return 'attachment_active_content';
  return { pages: pages === 0 ? null : pages };
}
