/** Files that are not what they say, or have more than they show, made here: the repository holds no such file. */
import { deflateSync, gzipSync } from 'node:zlib';
import sharp from 'sharp';
import { gif, jpeg, png, pngChunk } from './images.ts';
import { image, PDF, PHOTO, pdfOf } from './kyc.ts';

/** Stands for what an attacker hides in a file. */
export const HIDDEN = 'HIDDEN-IN-THE-FILE';
const ZIP_HEAD = Buffer.from('PK\x03\x04', 'latin1');
const ZIP_END = Buffer.concat([Buffer.from('PK\x05\x06', 'latin1'), Buffer.alloc(18)]);
const ZIP = Buffer.concat([ZIP_HEAD, Buffer.from(HIDDEN), ZIP_END]);
const text = (value: string): Buffer => Buffer.from(value, 'latin1');
const join = (...parts: Buffer[]): Buffer => Buffer.concat(parts);
const half = (bytes: Buffer): Buffer => bytes.subarray(0, Math.floor(bytes.length / 2));
const without = (bytes: Buffer, last: number): Buffer => bytes.subarray(0, bytes.length - last);

const PNG = await image(700, 700).png().toBuffer();
const WEBP = await image(700, 700).webp().toBuffer();
const GIF = await image(700, 700).gif().toBuffer();
const LARGE = { width: 8_000, height: 8_000, channels: 3, background: 'grey' } as const;
const ENDING = text('\ntrailer << /Root 1 0 R >>\n%%EOF\n');
/** A JPEG whose frame header states other dimensions. */
function resized(bytes: Buffer, side: number): Buffer {
  const changed = Buffer.from(bytes);
  const at = changed.findIndex(
    (byte, index) => byte === 0xff && [0xc0, 0xc2].includes(changed[index + 1] ?? 0),
  );
  changed.writeUInt16BE(side, at + 5);
  changed.writeUInt16BE(side, at + 7);
  return changed;
}
/** Puts a chunk before the picture of a PNG. */
const inPngOf = (bytes: Buffer, type: string, data: Buffer): Buffer =>
  join(bytes.subarray(0, 33), pngChunk(type, data), bytes.subarray(33));
const inPng = (type: string, data: Buffer): Buffer => inPngOf(PNG, type, data);
/** A picture with the place where it was taken. */
const located = () =>
  image(700, 700).withExif({
    IFD0: { Copyright: HIDDEN },
    IFD3: { GPSLatitude: '51/1 30/1 3230/100', GPSMapDatum: HIDDEN },
  });
/** A JPEG whose first segment says that it is longer than the file. */
function cutSegment(bytes: Buffer): Buffer {
  const changed = Buffer.from(bytes.subarray(0, 600));
  changed.writeUInt16BE(0xffff, 4);
  return changed;
}
/** A PNG whose second chunk says that it is longer than the file. */
function longChunk(bytes: Buffer): Buffer {
  const changed = Buffer.from(bytes);
  changed.writeUInt32BE(0x7fffffff, 33);
  return changed;
}
function longWebp(bytes: Buffer): Buffer {
  const changed = Buffer.from(bytes);
  changed.writeUInt32LE(bytes.length + 1_000, 4);
  return changed;
}
/** Puts a segment behind the first two bytes of a JPEG. */
const inJpeg = (marker: number, data: Buffer): Buffer =>
  join(
    PHOTO.subarray(0, 2),
    Buffer.from([0xff, marker, (data.length + 2) >> 8, (data.length + 2) & 255]),
    data,
    PHOTO.subarray(2),
  );
function inWebp(type: string, data: Buffer): Buffer {
  const [even, size] = [data.length % 2 === 0 ? data : join(data, Buffer.alloc(1)), Buffer.alloc(4)];
  size.writeUInt32LE(data.length);
  const whole = join(WEBP, text(type), size, even);
  whole.writeUInt32LE(whole.length - 8, 4);
  return whole;
}
/** A PNG whose first chunk says that it has two gigabytes. */
function hugeFirst(bytes: Buffer): Buffer {
  const changed = Buffer.from(bytes);
  changed.writeUInt32BE(0x7fffffff, 8);
  return changed;
}
/** A PNG whose data inflate to 60 MiB, of which its picture needs less than two. */
const pngBomb = (): Buffer =>
  join(
    png(700, 700).subarray(0, 33),
    pngChunk('IDAT', deflateSync(Buffer.alloc(60 * 1024 * 1024))),
    pngChunk('tEXt', text(`Comment\0${HIDDEN}`)),
    pngChunk('IEND', Buffer.alloc(0)),
  );
/** A GIF of one pixel. */
const manyFrames = (frames: number): Buffer =>
  join(
    Buffer.from('47494638396101000100800000000000ffffff', 'hex'),
    ...Array.from({ length: frames }, () => Buffer.from('2c0000000001000100000202440100', 'hex')),
    text(';'),
  );
/** A stream of 1 MiB of zeros. */
const bomb = (): Buffer =>
  join(text('5 0 obj << /Filter /FlateDecode >>\nstream\n'), ZEROS, text('\nendstream endobj\n'));
const ZEROS = deflateSync(Buffer.alloc(1024 * 1024));
/** Objects in a stream, which readers show and a search of the file would not find. */
const objects = (filter: string, bytes: Buffer): Buffer =>
  join(
    text(`%PDF-1.7\n5 0 obj << /Type /ObjStm /N 1 /First 4 /Length ${bytes.length} ${filter} >>\nstream\n`),
    bytes,
    text('\nendstream endobj'),
    ENDING,
  );
const ACTION = text('6 0 << /S /JavaScript /JS (app.alert) >>');

const [JPEG_TYPE, PNG_TYPE, WEBP_TYPE, PDF_TYPE] = [
  'image/jpeg',
  'image/png',
  'image/webp',
  'application/pdf',
];
const ANY = 'application/octet-stream';
const [UNREADABLE, OTHER_TYPE, ACTIVE] = [
  'attachment_unreadable',
  'attachment_type_mismatch',
  'attachment_active_content',
];
export const UNSUPPORTED = 'attachment_kind_unsupported';

/** Files that are refused, with the type that is stated and the code of the refusal. */
type Refused = readonly [what: string, bytes: Buffer, type: string, code: string];
export const REFUSED: readonly Refused[] = [
  ['nothing', Buffer.alloc(0), ANY, UNSUPPORTED],
  ['one byte', Buffer.alloc(1), ANY, UNSUPPORTED],
  ['zeros', Buffer.alloc(4_096), ANY, UNSUPPORTED],
  ['only the first bytes of a JPEG', PHOTO.subarray(0, 3), JPEG_TYPE, UNREADABLE],
  ['only the first bytes of a PNG', PNG.subarray(0, 8), PNG_TYPE, UNREADABLE],
  ['only the first bytes of a PDF', text('%PDF-1.7'), PDF_TYPE, UNREADABLE],
  // Cut off.
  ['half of a JPEG', half(PHOTO), JPEG_TYPE, UNREADABLE],
  ['half of a PNG', half(PNG), PNG_TYPE, UNREADABLE],
  ['half of a WebP', half(WEBP), WEBP_TYPE, UNREADABLE],
  ['half of a PDF', half(PDF), PDF_TYPE, UNREADABLE],
  ['a JPEG without its end', without(PHOTO, 2), JPEG_TYPE, UNREADABLE],
  ['a PNG without its last chunk', without(PNG, 12), PNG_TYPE, UNREADABLE],
  ['a JPEG of which only the structure is right', jpeg(700, 700), JPEG_TYPE, UNREADABLE],
  [
    'a PNG whose picture is shorter than it says',
    png(700, 700, { width: 700, height: 9 }),
    PNG_TYPE,
    UNREADABLE,
  ],
  ['a PNG with a wrong checksum', Buffer.from(PNG).fill(0, 29, 33), PNG_TYPE, UNREADABLE],
  // Under another name.
  ['a PNG as JPEG', PNG, JPEG_TYPE, OTHER_TYPE],
  ['a JPEG as PNG', PHOTO, PNG_TYPE, OTHER_TYPE],
  ['a WebP as PNG', WEBP, PNG_TYPE, OTHER_TYPE],
  ['a PDF as JPEG', PDF, JPEG_TYPE, OTHER_TYPE],
  ['a PNG as PDF', PNG, PDF_TYPE, OTHER_TYPE],
  // What is not taken at all.
  ['a GIF', GIF, ANY, UNSUPPORTED],
  ['a GIF as PNG', gif(700, 700, 3), PNG_TYPE, UNSUPPORTED],
  ['a TIFF', await image(700, 700).tiff().toBuffer(), JPEG_TYPE, UNSUPPORTED],
  ['an AVIF', await image(700, 700).avif({ effort: 0 }).toBuffer(), JPEG_TYPE, UNSUPPORTED],
  ['an archive', ZIP, PDF_TYPE, UNSUPPORTED],
  ['a program', join(text('MZ'), Buffer.alloc(200, 0x90)), PDF_TYPE, UNSUPPORTED],
  ['a script', text('#!/bin/sh\nexit\n'), JPEG_TYPE, UNSUPPORTED],
  ['a page', text('<html><script>1</script></html>'), PDF_TYPE, UNSUPPORTED],
  [
    'a test virus',
    text(String.raw`X5O!P%@AP[4\PZX54(P^)7CC)7}$EICAR-STANDARD-ANTIVIRUS-TEST-FILE!$H+H*`),
    ANY,
    UNSUPPORTED,
  ],
  // Two kinds in one.
  ['a JPEG before an archive', join(PHOTO, ZIP), JPEG_TYPE, UNREADABLE],
  ['a PNG before a page', join(PNG, text('<script>1</script>')), PNG_TYPE, UNREADABLE],
  ['a WebP before a PDF', join(WEBP, PDF), WEBP_TYPE, UNREADABLE],
  [
    'a GIF that is a script',
    join(text('GIF89a=1/*'), GIF.subarray(10), text('*/;alert(1)')),
    ANY,
    UNREADABLE,
  ],
  ['a page before a PDF', join(text('<!-- '), PDF), PDF_TYPE, UNSUPPORTED],
  ['a PDF before an archive', join(PDF, ZIP), PDF_TYPE, UNREADABLE],
  ['a PDF around an archive', join(text('%PDF-1.7\n'), ZIP, ENDING), PDF_TYPE, UNREADABLE],
  // More than they seem.
  ['a JPEG of 65,500 by 65,500 pixels', resized(PHOTO, 65_500), JPEG_TYPE, UNREADABLE],
  ['a PNG of 64 million pixels', await sharp({ create: LARGE }).png().toBuffer(), PNG_TYPE, UNREADABLE],
  [
    'a PDF that inflates to 60 MiB',
    join(
      text('%PDF-1.7\n5 0 obj << /Filter /FlateDecode >>\nstream\n'),
      deflateSync(Buffer.alloc(60 * 1024 * 1024)),
      text('\nendstream endobj'),
      ENDING,
    ),
    PDF_TYPE,
    UNREADABLE,
  ],
  // What acts.
  [
    'a PDF with a script',
    pdfOf('1 0 obj << /OpenAction << /S /JavaScript /JS (1) >> >> endobj'),
    PDF_TYPE,
    ACTIVE,
  ],
  ['a PDF that starts a program', pdfOf('1 0 obj << /S /L#61unch /F (calc) >> endobj'), PDF_TYPE, ACTIVE],
  [
    'a PDF with a form that has scripts',
    pdfOf('1 0 obj << /AcroForm << /XFA 2 0 R >> >> endobj'),
    PDF_TYPE,
    ACTIVE,
  ],
  ['a PDF with a file', pdfOf('1 0 obj << /Type /Filespec /EF << /F 2 0 R >> >> endobj'), PDF_TYPE, ACTIVE],
  ['a PDF with a script in a stream', objects('/Filter /FlateDecode', deflateSync(ACTION)), PDF_TYPE, ACTIVE],
  [
    'a PDF with a script in a stream of another filter',
    objects('/Filter [/ASCIIHexDecode]', text(`${ACTION.toString('hex')}>`)),
    PDF_TYPE,
    ACTIVE,
  ],
  ['an encrypted PDF', pdfOf('trailer << /Encrypt 5 0 R >>'), PDF_TYPE, 'attachment_encrypted'],
  // More of each.
  ['a JPEG before a JPEG', join(PHOTO, PHOTO), JPEG_TYPE, UNREADABLE],
  ['a JPEG whose segment is longer than the file', cutSegment(PHOTO), JPEG_TYPE, UNREADABLE],
  ['a PNG before a PNG', join(PNG, PNG), PNG_TYPE, UNREADABLE],
  ['a PNG whose chunk is longer than the file', longChunk(PNG), PNG_TYPE, UNREADABLE],
  ['a WebP that says that it is longer', longWebp(WEBP), WEBP_TYPE, UNREADABLE],
  ['a picture of another kind', join(text('BM'), Buffer.alloc(60)), ANY, UNSUPPORTED],
  ['a HEIC', join(Buffer.from([0, 0, 0, 24]), text('ftypheic'), Buffer.alloc(40)), JPEG_TYPE, UNSUPPORTED],
  ['a program of Linux', join(text('\x7fELF\x02\x01\x01'), Buffer.alloc(60)), PDF_TYPE, UNSUPPORTED],
  ['a compressed file', gzipSync(HIDDEN), PDF_TYPE, UNSUPPORTED],
  ['an office document', Buffer.from('d0cf11e0a1b11ae100000000000000000000', 'hex'), PDF_TYPE, UNSUPPORTED],
  ['a film', join(Buffer.from([0, 0, 0, 24]), text('ftypmp42'), Buffer.alloc(40)), ANY, UNSUPPORTED],
  [
    'a drawing with a script',
    text('<svg xmlns="http://www.w3.org/2000/svg"><script>1</script></svg>'),
    ANY,
    UNSUPPORTED,
  ],
  ['a text with a zero', text(`${HIDDEN}\0`), 'text/plain', UNSUPPORTED],
  ['a text with commands of a terminal', text(`\x1b]0;${HIDDEN}\x07`), 'text/plain', UNSUPPORTED],
  ['a text that is no UTF-8', text('caf\xe9'), 'text/plain', UNSUPPORTED],
  ['a text of two bytes a character', Buffer.from(`\ufeff${HIDDEN}`, 'utf16le'), 'text/plain', UNSUPPORTED],
  ['a PDF with a film', pdfOf('1 0 obj << /Subtype /RichMedia >> endobj'), PDF_TYPE, ACTIVE],
  ['a PDF with an embedded file', pdfOf('1 0 obj << /Type /EmbeddedFile >> endobj'), PDF_TYPE, ACTIVE],
  ['a PDF with a script under an escaped name', pdfOf('1 0 obj << /J#53 (1) >> endobj'), PDF_TYPE, ACTIVE],
  [
    'a PDF with a script in a stream in a stream',
    objects('/Filter [/FlateDecode /FlateDecode]', deflateSync(deflateSync(ACTION))),
    PDF_TYPE,
    ACTIVE,
  ],
  ['a PDF that ends long before the file', join(PDF, Buffer.alloc(2_000, 0x20)), PDF_TYPE, UNREADABLE],
  // What opens an address, or has its bytes elsewhere.
  ...[
    ['a PDF that opens an address', '1 0 obj <</OpenAction<</S/URI/URI(https://x.example)>>>> endobj'],
    [
      'a PDF that opens an address of another object',
      '1 0 obj <</OpenAction 2 0 R>> endobj 2 0 obj <</S/URI/URI(x)>> endobj',
    ],
    ['a PDF whose page opens an address', '1 0 obj <</Type/Page/AA<</O<</S/URI/URI(x)>>>>>> endobj'],
    [
      'a PDF with a stream of another file',
      '1 0 obj <</Length 0/F(\\\\host\\x)>>\nstream\n\nendstream endobj',
    ],
    [
      'a PDF with a page of another file',
      '1 0 obj <</Ref<</F(x.pdf)/Page 0>>/Length 0>>\nstream\n\nendstream endobj',
    ],
    ['a PDF with a file of a server', '1 0 obj <</FS/URL/F(http://x.example)>> endobj'],
    ['a PDF that goes to another file next', '1 0 obj <</S/GoTo/D[2 0 R/Fit]/Next<</S/GoToR/F(x)>>>> endobj'],
    ['a PDF with scripts under an escaped name', '1 0 obj <</Names<</JavaS#63ript 2 0 R>>>> endobj'],
  ].map(([what = '', body = '']): Refused => [what, pdfOf(body), PDF_TYPE, ACTIVE]),
  [
    'a PDF that is encrypted for some readers',
    pdfOf('9 0 obj <</Type/XRef/Encr#79pt 5 0 R>> endobj'),
    PDF_TYPE,
    'attachment_encrypted',
  ],
  [
    'a PDF whose streams inflate to 60 MiB',
    join(text('%PDF-1.7\n'), ...Array.from({ length: 60 }, bomb), ENDING),
    PDF_TYPE,
    UNREADABLE,
  ],
  ['a PDF of brackets', pdfOf(`1 0 obj ${'['.repeat(100_000)} endobj`), PDF_TYPE, UNREADABLE],
  [
    'a PDF of eleven thousand streams',
    pdfOf('1 0 obj <<>>stream\nx\nendstream endobj\n'.repeat(11_000)),
    PDF_TYPE,
    UNREADABLE,
  ],
  ['a GIF of ten thousand frames', manyFrames(10_000), ANY, UNSUPPORTED],
  ['a BigTIFF', join(text('II+\0\x08\0\0\0'), Buffer.alloc(60)), JPEG_TYPE, UNSUPPORTED],
  ['a JPEG XL', join(Buffer.from([0xff, 0x0a]), Buffer.alloc(60)), JPEG_TYPE, UNSUPPORTED],
  [
    'a JPEG 2000',
    join(Buffer.from([0, 0, 0, 12]), text('jP  \r\n\x87\n'), Buffer.alloc(60)),
    JPEG_TYPE,
    UNSUPPORTED,
  ],
  ['an icon', join(Buffer.from([0, 0, 1, 0, 1, 0]), Buffer.alloc(60)), ANY, UNSUPPORTED],
  ['a 7z archive', join(Buffer.from('377abcaf271c', 'hex'), Buffer.alloc(60)), PDF_TYPE, UNSUPPORTED],
  ['a RAR archive', join(text('Rar!\x1a\x07\x01\0'), Buffer.alloc(60)), PDF_TYPE, UNSUPPORTED],
  ['an xz file', join(Buffer.from('fd377a585a00', 'hex'), Buffer.alloc(60)), PDF_TYPE, UNSUPPORTED],
  ['a WebAssembly module', join(text('\0asm\x01\0\0\0'), Buffer.alloc(60)), PDF_TYPE, UNSUPPORTED],
  ['a database', join(text('SQLite format 3\0'), Buffer.alloc(60)), ANY, UNSUPPORTED],
  ['a drawing in XML with a comment first', text('<!-- x --><svg onload="1"/>'), ANY, UNSUPPORTED],
  ['a page behind a mark of UTF-8', text('\xef\xbb\xbf<!doctype html><script>1</script>'), ANY, UNSUPPORTED],
  ['a PostScript', text('%!PS-Adobe-3.0\n(x) run\n'), PDF_TYPE, UNSUPPORTED],
  ['a PNG with two gigabytes before its picture', hugeFirst(PNG), PNG_TYPE, UNREADABLE],
];

/** Images that are taken without what stands for the first word. */
export const CLEANED: readonly (readonly [what: string, bytes: Buffer, type: string])[] = [
  ['a comment with an archive', inJpeg(0xfe, ZIP), JPEG_TYPE],
  ['a comment with a PDF', inJpeg(0xfe, join(PDF, text(HIDDEN))), JPEG_TYPE],
  ['a segment of a program', inJpeg(0xed, text(`<?php ${HIDDEN} ?>`)), JPEG_TYPE],
  ['a text', inPng('tEXt', text(`Comment\0<script>${HIDDEN}</script>`)), PNG_TYPE],
  [
    'a text that inflates to 30 MiB',
    inPng('zTXt', join(text(`${HIDDEN}\0\0`), deflateSync(Buffer.alloc(30 * 1024 * 1024)))),
    PNG_TYPE,
  ],
  ['a chunk of an unknown type', inPng('spPx', text(HIDDEN)), PNG_TYPE],
  ['a chunk after the picture', inWebp('SPPX', text(HIDDEN)), WEBP_TYPE],
  [
    'a gain map behind it',
    join(inJpeg(0xe2, text('MPF\0')), Buffer.alloc(3), inJpeg(0xfe, text(HIDDEN))),
    JPEG_TYPE,
  ],
  [
    'many frames',
    await sharp(Buffer.concat(Array.from({ length: 3 }, () => Buffer.alloc(700 * 700 * 3, 0x7f))), {
      raw: { width: 700, height: 2_100, channels: 3, pageHeight: 700 },
    })
      .withExif({ IFD0: { Copyright: HIDDEN } })
      .webp({ loop: 0 })
      .toBuffer(),
    WEBP_TYPE,
  ],
  ['the place where it was taken', await located().jpeg().toBuffer(), JPEG_TYPE],
  ['the place, as PNG', await located().png().toBuffer(), PNG_TYPE],
  ['the place, as WebP', await located().webp().toBuffer(), WEBP_TYPE],
  ['a description', inJpeg(0xe1, text(`http://ns.adobe.com/xap/1.0/\0<x>${HIDDEN}</x>`)), JPEG_TYPE],
  ['a colour profile', inJpeg(0xe2, text(`ICC_PROFILE\0\x01\x01${HIDDEN}`)), JPEG_TYPE],
  [
    'a picture in its metadata',
    inJpeg(0xe1, join(text('Exif\0\0MM\0*\0\0\0\x08\0\0\0\0\0\0'), PHOTO.subarray(0, 900), text(HIDDEN))),
    JPEG_TYPE,
  ],
  [
    '50 million pixels',
    inPngOf(
      await sharp({ create: { ...LARGE, width: 10_000, height: 5_000 } })
        .png()
        .toBuffer(),
      'tEXt',
      text(`Comment\0${HIDDEN}`),
    ),
    PNG_TYPE,
  ],
  [
    'a place in a caption',
    inJpeg(0xed, text(`Photoshop 3.0\x008BIM\x04\x04\0\0\0\0\0\x20\x1c\x02\x5a\0\x12${HIDDEN}GPS`)),
    JPEG_TYPE,
  ],
  [
    'the rest of a long description',
    inJpeg(0xe1, text(`http://ns.adobe.com/xmp/extension/\0${HIDDEN}GPS`)),
    JPEG_TYPE,
  ],
  [
    'the notes of a camera',
    inJpeg(0xe1, text(`Exif\0\0MM\0*\0\0\0\x08\0\x01\x92\x7c\0\x07\0\0\0\x20${HIDDEN}GPS`)),
    JPEG_TYPE,
  ],
  ['a description, as PNG', inPng('iTXt', text(`XML:com.adobe.xmp\0\0\0\0\0<x>${HIDDEN}GPS</x>`)), PNG_TYPE],
  ['the place in a chunk', inPng('eXIf', text(`MM\0*\0\0\0\x08\0\0${HIDDEN}GPS`)), PNG_TYPE],
  ['data of 60 MiB', pngBomb(), PNG_TYPE],
  ['a description, as WebP', inWebp('XMP ', text(`<x>${HIDDEN}GPS</x>`)), WEBP_TYPE],
];
