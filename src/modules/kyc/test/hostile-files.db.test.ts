/** Files that are not what they say, made here: none of them is stored, and of an image only what it shows. */
import { deflateSync } from 'node:zlib';
import sharp from 'sharp';
import { expect, test } from 'vitest';
import { startTestApp } from '../../../../test/support/app.ts';
import { gif, jpeg, png, pngChunk } from '../../../../test/support/images.ts';
import { image, kycOn, PDF, PHOTO, pdfOf } from '../../../../test/support/kyc.ts';
import { runOn } from '../../../../test/support/test-server.ts';

const app = await startTestApp();
const { asked, itemOf, send } = kycOn(app);
const seller = await asked();
const { item_id } = await itemOf(seller, 'proof_of_address');

/** Stands for what an attacker hides in a file. */
const HIDDEN = 'HIDDEN-IN-THE-FILE';
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
const inPng = (type: string, data: Buffer): Buffer =>
  join(PNG.subarray(0, 33), pngChunk(type, data), PNG.subarray(33));
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
const UNSUPPORTED = 'attachment_kind_unsupported';

test.each<[string, Buffer, string, string]>([
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
])('%s is refused, and nothing of it is stored', async (_what, bytes, type, code) => {
  const { status, body } = await send(seller, item_id, bytes, type);
  const said = status === 422 ? body.detail?.[0]?.type : body.code;
  expect([said, status]).toEqual([code, code === UNSUPPORTED ? 415 : 422]);
  expect((await itemOf(seller, 'proof_of_address')).status).toBe('missing');
  const { rows } = await runOn(app.database.adminUrl, (client) =>
    client.query(
      'select (select count(*) from attachment)::int as documents, (select count(*) from file)::int as files',
    ),
  );
  expect(rows).toEqual([{ documents: 0, files: 0 }]);
});

/** The bytes that a person of the marketplace sees, with the headers. */
async function opened(attachmentId: string) {
  const answer = await fetch(`${app.internalUrl}/internal/v1/attachments/${attachmentId}/content`, {
    headers: { authorization: `Bearer ${app.internalToken}`, 'x-operator': 'ops:7' },
  });
  return { headers: answer.headers, bytes: Buffer.from(await answer.arrayBuffer()) };
}

test.each<[string, Buffer, string]>([
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
    'many frames',
    await sharp(Buffer.concat(Array.from({ length: 3 }, () => Buffer.alloc(700 * 700 * 3, 0x7f))), {
      raw: { width: 700, height: 2_100, channels: 3, pageHeight: 700 },
    })
      .withExif({ IFD0: { Copyright: HIDDEN } })
      .webp({ loop: 0 })
      .toBuffer(),
    WEBP_TYPE,
  ],
])('an image with %s is taken without it', async (_what, bytes, type) => {
  const other = await asked({ items: [{ code: 'proof_of_address' }] });
  const {
    status,
    body,
    text: said,
  } = await send(other, (await itemOf(other, 'proof_of_address')).item_id, bytes, type);
  expect([status, status === 201 ? '' : said]).toEqual([201, '']);
  const { headers, bytes: clean } = await opened(body.attachment_id);
  expect(headers.get('content-type')).toBe(type);
  expect(headers.get('x-content-type-options')).toBe('nosniff');
  expect(headers.get('content-disposition')).toBe('attachment');
  for (const word of [HIDDEN, 'PK\x03\x04', '%PDF-', 'zTXt'])
    expect(clean.includes(text(word)), word).toBe(false);
  expect((await sharp(clean).metadata()).pages ?? 1).toBe(1);
});
