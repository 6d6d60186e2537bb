import { constants, deflateSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { checkPdf } from './check-pdf.ts';

const END = '\ntrailer << /Root 1 0 R >>\n%%EOF\n';
const pdf = (...parts: (string | Buffer)[]) =>
  Buffer.concat([
    Buffer.from('%PDF-1.7\n'),
    ...parts.map((part) => (typeof part === 'string' ? Buffer.from(part, 'latin1') : part)),
    Buffer.from(END),
  ]);
/** An object with a compressed stream. */
const stream = (text: string, bytes = deflateSync(Buffer.from(text, 'latin1'))) =>
  Buffer.concat([
    Buffer.from('1 0 obj << /Filter /FlateDecode >>\nstream\r\n'),
    bytes,
    Buffer.from('\nendstream\nendobj\n'),
  ]);
/** Zlib data whose second block is of a type that does not exist. */
const damaged = (text: string) =>
  Buffer.concat([
    deflateSync(Buffer.from(text, 'latin1'), { finishFlush: constants.Z_SYNC_FLUSH }),
    Buffer.alloc(9, 7),
  ]);
const TEXT = stream('BT (Hello) Tj ET');
/** Objects in a stream. */
const objects = (end: string, bytes: Buffer, filter = '/Filter /FlateDecode') =>
  Buffer.concat([
    Buffer.from(`1 0 obj << /Type /ObjStm /N 1 /First 4 ${filter} >>\nstream${end}`),
    bytes,
    Buffer.from('\nendstream\nendobj\n'),
  ]);
const PLAIN_OBJECTS = objects('\n', Buffer.from('10 0 << /JS (x) >>'), '');
/** One object in a stream, behind the table of its start. */
const inStream = (object: string, start = '0', filter = '/Filter/FlateDecode', word = 'stream\n') => {
  const bytes = Buffer.from(`10 ${start} ${object}`, 'latin1');
  return Buffer.concat([
    Buffer.from(`4 0 obj <</Type/ObjStm/N 1/First ${start.length + 4}${filter}>> ${word}`, 'latin1'),
    filter === '' ? bytes : deflateSync(bytes),
    Buffer.from('\nendstream\nendobj\n'),
  ]);
};
/** The same without a filter. */
const stated = (object: string, length: number | string = object.length + 5, word = 'stream\n') =>
  Buffer.concat([
    Buffer.from(`4 0 obj <</Type/ObjStm/N 1/First 5/Length ${length}>> ${word}`),
    Buffer.from(`10 0 ${object}\nendstream\nendobj\n`),
  ]);
const XFA = '/AcroForm<</XFA 5 0 R>>';
const HEX = objects('\n', Buffer.from('3c3c202f4a532028782920 3e3e>'), '/Filter /AHx');
const picture = (text: string) =>
  Buffer.concat([
    Buffer.from('1 0 obj << /Subtype /Image /Filter /FlateDecode >>\nstream\n'),
    deflateSync(Buffer.from(text, 'latin1')),
    Buffer.from('\nendstream\nendobj\n'),
  ]);
/** A4 at 300 dots per inch, in colour. */
const SCAN = deflateSync(Buffer.alloc(2_480 * 3_508 * 3, 0xff));
const scan = (sides = '/Width 2480 /Height 3508', bytes = SCAN) =>
  Buffer.concat([
    Buffer.from(`1 0 obj << /Subtype /Image ${sides} /Filter /FlateDecode >>\nstream\n`),
    bytes,
    Buffer.from('\nendstream\nendobj\n'),
  ]);
/** Zlib data whose checksum is wrong. */
const unchecked = (text: string) =>
  Buffer.concat([deflateSync(Buffer.from(text)).subarray(0, -4), Buffer.alloc(4, 1)]);
const LARGE = stream('', damaged('x'.repeat(20 * 1024 * 1024)));

test.each<[string, Buffer, unknown]>([
  ['two pages', pdf('<< /Type /Page >> << /Type/Page >> << /Type /Pages >>'), { pages: 2 }],
  ['a page in a compressed stream', pdf(stream('<< /Type /Page >>')), { pages: 1 }],
  ['no page that can be seen', pdf('<< >>'), { pages: null }],
  ['an action in a compressed stream', pdf(stream('<< /S /Launch >>')), 'attachment_active_content'],
  ['a short name in a compressed stream', pdf(stream('<< /JS (x) >>')), 'attachment_active_content'],
  ['a name in escapes', pdf('<< /#4a#53 (x) >>'), 'attachment_active_content'],
  ['an attached file', pdf('<< /EmbeddedFiles 3 0 R >>'), 'attachment_active_content'],
  ['a form with scripts in XML', pdf('<< /AcroForm << /XFA 9 0 R >> >>'), 'attachment_active_content'],
  [
    'an attached file without a type',
    pdf('<< /Type /Filespec /EF << /F 5 0 R >> >>'),
    'attachment_active_content',
  ],
  ['an attached file elsewhere', pdf('<< /Type /Filespec /EF 8 0 R >>'), 'attachment_active_content'],
  ['a font that is called like it', pdf(stream('BT /EF 12 Tf ET << /Type /Page >>')), { pages: 1 }],
  [
    'objects in another filter',
    pdf(
      '1 0 obj << /Type /ObjStm /N 1 /First 4 /Filter [/ASCII85Decode /FlateDecode] >> stream\nx\nendstream',
    ),
    'attachment_active_content',
  ],
  [
    'objects that are deflated twice',
    pdf('1 0 obj << /Type /ObjStm /N 1 /First 4 /Filter [/FlateDecode % ]\n /Fl] >> stream\nx\nendstream'),
    'attachment_active_content',
  ],
  [
    'objects in a filter under another spelling',
    pdf('1 0 obj << /N 1 /First 4 /Filter /ASCII#48exDecode >> stream\nx\nendstream'),
    'attachment_active_content',
  ],
  [
    'objects in a filter that is named elsewhere',
    pdf('1 0 obj << /Type /ObjStm /N 1 /First 4 /Filter 7 0 R >> stream\nx\nendstream'),
    'attachment_active_content',
  ],
  [
    'objects with a predictor',
    pdf(
      '1 0 obj << /Type /ObjStm /First 4 /Filter /FlateDecode /DecodeParms << /Predictor 12 >> >> stream\nx\nendstream',
    ),
    'attachment_active_content',
  ],
  [
    'a picture in another filter after bookmarks',
    pdf('<< /Type /Outlines /First 7 0 R >> << /Filter [/ASCII85Decode /DCTDecode] >> stream\nx\nendstream'),
    { pages: null },
  ],
  ['objects in another filter after a page', pdf(TEXT, HEX), 'attachment_active_content'],
  [
    'objects in another filter after a word in a string',
    pdf('2 0 obj (stream\n) endobj ', HEX),
    'attachment_active_content',
  ],
  [
    'objects in another filter around a word in a string',
    pdf('2 0 obj << /First 4 /X (endstream stream\n) /Filter /AHx >> stream\nx\nendstream'),
    'attachment_active_content',
  ],
  [
    'objects inside of a string',
    pdf('2 0 obj << /X (3 0 obj << /First 4 /Filter /AHx >> stream\nx\nendstream) >>'),
    'attachment_active_content',
  ],
  [
    'objects in a filter that is named elsewhere, after a comment',
    pdf('2 0 obj << /First 4 /Filter%\n7 0 R >> stream\nx\nendstream'),
    'attachment_active_content',
  ],
  ['objects that do not inflate', pdf(objects('\n', Buffer.from('x'))), 'attachment_active_content'],
  ...['\r', ' \n', '\t\r\n', '%x\n', ''].map((end): [string, Buffer, unknown] => [
    `objects after ${JSON.stringify(end)}`,
    pdf(objects(end, deflateSync(Buffer.from('5 0 << /JS (x) >>')))),
    'attachment_active_content',
  ]),
  ['objects without a filter', pdf(TEXT, PLAIN_OBJECTS, TEXT), 'attachment_active_content'],
  ['a script between pages', pdf(TEXT, '2 0 obj << /JS (x) >> ', TEXT), 'attachment_active_content'],
  [
    'a script in an array after a word in a string',
    pdf('2 0 obj (stream\n) 3 0 obj [<< /S /Rendition /JS (x) >>] ', TEXT),
    'attachment_active_content',
  ],
  ['an attached file after a comment', pdf('2 0 obj << /EF %\n << >> >>'), 'attachment_active_content'],
  ['pages between streams', pdf(TEXT, '<< /Type /Page >>', TEXT, '<< /Type /Page >>', TEXT), { pages: 2 }],
  [
    'objects after a string with parentheses',
    pdf('2 0 obj << /X (\\) >> ()) /Y <3e3e>/First 4 /Filter /AHx >> stream\nx\nendstream'),
    'attachment_active_content',
  ],
  ['a colour of a picture', pdf(picture('\x2f\x4a\x53\0')), { pages: null }],
  ['a script that says it is a picture', pdf(picture('/JavaScript ')), 'attachment_active_content'],
  ['10 MiB of objects in objects', pdf('1 0 obj << '.repeat(900_000)), 'attachment_unreadable'],
  ['10 MiB of comments', pdf('1 0 obj', '%\n'.repeat(5_000_000)), { pages: null }],
  ['10 MiB of a string', pdf('1 0 obj << /X ', '('.repeat(10_000_000)), { pages: null }],
  ['200,000 objects', pdf('obj[]'.repeat(200_000)), { pages: null }],
  [
    '10 MiB of streams without a filter',
    pdf('obj<</First>>stream '.repeat(500_000)),
    'attachment_unreadable',
  ],
  ['200,001 objects', pdf('0 obj[]'.repeat(200_001)), 'attachment_unreadable'],
  ['an archive too', pdf('PK\x03\x04', `PK\x05\x06${'\0'.repeat(16)}\x2b\0`), 'attachment_unreadable'],
  ['a name that only begins alike', pdf('<< /JSX /Launcher /Encrypted >>'), { pages: null }],
  [
    'a stream that is cut off',
    pdf(stream('', deflateSync(Buffer.from(`${'x'.repeat(500)} /RichMedia `)).subarray(0, -6))),
    'attachment_active_content',
  ],
  [
    'bytes that look like a short name',
    pdf(stream('', Buffer.from('\x01/JS \x02', 'latin1'))),
    { pages: null },
  ],
  [
    'bytes that have a long name',
    pdf(stream('', Buffer.from('\x01/JavaScript \x02', 'latin1'))),
    'attachment_active_content',
  ],
  [
    'a stream that is damaged after a name',
    pdf(stream('', damaged('<< /S /Launch >>'))),
    'attachment_active_content',
  ],
  ['a stream that is damaged after a page', pdf(stream('', damaged('<< /Type /Page >> '))), { pages: 1 }],
  ['10,000 streams', pdf('stream\n'.repeat(10_000)), { pages: null }],
  ['10,001 streams', pdf('stream\n'.repeat(10_001)), 'attachment_unreadable'],
  ['10 MiB of streams without an end', pdf('stream\n'.repeat(1_500_000)), 'attachment_unreadable'],
  ['more than 50 MiB in damaged streams', pdf(LARGE, LARGE), 'attachment_unreadable'],
  [
    'more than 100 damaged streams',
    pdf(...Array(101).fill(stream('', damaged('x')))),
    'attachment_unreadable',
  ],
  ['twelve scans of A4 in colour', pdf(...Array(12).fill(scan()), '<< /Type /Page >>'), { pages: 1 }],
  ['a picture with more pixels than it says', pdf(scan('/Width 100 /Height 100')), 'attachment_unreadable'],
  ['a scan whose sides are named elsewhere', pdf(scan('/Width 7 0 R /Height 3508')), { pages: null }],
  ['three of them', pdf(...Array(3).fill(scan('/Width 7 0 R /Height 8 0 R'))), 'attachment_unreadable'],
  ['more than 320 MiB of pictures', pdf(...Array(13).fill(scan())), 'attachment_unreadable'],
  [
    'a long name over two parts of a picture',
    pdf(scan('/Width 500 /Height 500', deflateSync(Buffer.from(`${'x'.repeat(65_530)}/JavaScript `)))),
    'attachment_active_content',
  ],
  ...['SubmitForm', 'ImportData', 'GoToR', 'GoToE', 'Launch', 'Rendition', 'Movie', 'Thread'].map(
    (action): [string, Buffer, unknown] => [
      `the action ${action}`,
      pdf(`<< /OpenAction << /S /${action} /F (\\\\host\\share) >> >>`),
      'attachment_active_content',
    ],
  ),
  [
    'links to the web and to places',
    pdf('<</S/URI/URI(https://x.example)>> <</S/GoTo/D[1 0 R]>>'),
    { pages: null },
  ],
  [
    'a key without a value in a stream',
    pdf('1 0 obj <</Lang>> stream\nx\nendstream'),
    'attachment_unreadable',
  ],
  [
    'a filter before a key without a value',
    pdf('1 0 obj <</Filter/AHx/Lang>> endobj'),
    'attachment_unreadable',
  ],
  ['a key without a value before an object', pdf('1 0 obj <</Lang>> 2 0 obj'), 'attachment_unreadable'],
  ['a password', pdf('<< /Encrypt 4 0 R >>'), 'attachment_encrypted'],
  ['no end', Buffer.from('%PDF-1.7\n<< >>'), 'attachment_unreadable'],
  ['something in front', Buffer.concat([Buffer.from('\n'), pdf('<< >>')]), 'attachment_unreadable'],
  [
    'more than 50 MiB inflated',
    pdf(stream('', deflateSync(Buffer.alloc(51 * 1024 * 1024)))),
    'attachment_unreadable',
  ],
])('%s', async (_what, bytes, expected) => {
  expect(await checkPdf(bytes)).toEqual(expected);
});

/** A stream without `First`: readers that need none begin at its first byte. */
const counted = (text: string, more = '', isDeflated = true) =>
  Buffer.concat([
    Buffer.from(
      `5 0 obj <</N 1${isDeflated ? '/Filter/FlateDecode' : ''}${more}/Length ${text.length}>>\nstream\n`,
    ),
    isDeflated ? deflateSync(Buffer.from(text, 'latin1')) : Buffer.from(text, 'latin1'),
    Buffer.from('\nendstream\nendobj\n'),
  ]);
/** The head of a colour profile. */
const PROFILE = '\0\0\x0c\x48Lino\x02\x10\0\0mntrRGB XYZ \x07\xce\0\x02\0\x09\0\x06\x001\0\0acspMSFT';
const DECODED = `10 0 <<${XFA}>>`;
/** Data that inflate, then a sound stream of objects for readers that skip the line of the word. */
const LINE = Buffer.concat([Buffer.from('stream'), deflateSync(Buffer.from('10 0 <<>>')), Buffer.from('\n')]);
test.each<[string, Buffer]>([
  ['after a zero byte', pdf('1 0 obj <</FS <</EF\0<</F 5 0 R>>>>>> endobj')],
  ['after a zero byte in a stream', pdf(inStream('<</FS <</EF\0<</F 5 0 R>>>>>>'))],
  ['after a comment in a stream', pdf(inStream('<</FS <</EF%x\n<</F 5 0 R>>>>>>'))],
  ['whose reference has a sign', pdf('1 0 obj <</FS <</EF +5 0R>>>> endobj')],
  [
    'in a stream that a comment calls a picture',
    pdf(inStream(`<<${XFA}>>`, '0', '/Filter/FlateDecode%9 0 obj<</Subtype/Image\n')),
  ],
  [
    'in a stream with two dictionaries',
    pdf(inStream('<<>>', '0', `/Filter/FlateDecode%9 0 obj<</N 1/First 4/Filter/Fl\n`)),
  ],
  ['in a model in space', pdf('3 0 obj <</Type/3D/Subtype/U3D/OnInstantiate 5 0 R>> endobj')],
  [
    'in objects that say they are metadata',
    pdf(inStream(`<<${XFA}>>`, '0', '/Filter/FlateDecode/Subtype/XML')),
  ],
  ['in a stream that says it is a picture', pdf(inStream(`<<${XFA}>>`, '0', '/Filter/Fl/Subtype/Image'))],
  ['after the word of an end in a string', pdf(inStream(`<</A(endstream\nstream\n)${XFA}>>`, '0', ''))],
  ['in a stream without a filter', pdf(stated(`<</A(endstream\nstream\n)${XFA}>>`))],
  ['in a stream without a filter, of another length', pdf(stated('<<>>', 8))],
  ['in a stream without a filter, after a blank', pdf(stated('<<>>', 9, 'stream \n'))],
  ['in a stream without a filter, of a length elsewhere', pdf(stated('<<>>', '9 0 R'))],
  ['between strings in hexadecimal digits', pdf(`1 0 obj <</A <( <> ${XFA} /X <)> >> endobj`)],
  [
    'in an action between such strings',
    pdf('1 0 obj <</A <( <> /OpenAction <</S/Rendition/JS 5 0 R>> /X <)>>> endobj'),
  ],
  ['after a comment in such a string', pdf(`1 0 obj <</A <%> ${XFA} >> endobj`)],
  ['after an escaped parenthesis', pdf(inStream(`<</A (\\() ${XFA} /B (\\))>>`))],
  ['after an escaped backslash', pdf(inStream(`<</A (\\\\) ${XFA} /B ()>>`))],
  ['after a carriage return in a comment', pdf(inStream(`<<%(\r${XFA}>>`))],
  ['in a string to which the table leads', pdf(inStream(`(x <<${XFA}>>)`, '3'))],
  ['in a comment to which the table leads', pdf(inStream(`%x <<${XFA}>>\n<<>>`, '3'))],
  ['in a stream without a table', pdf(inStream('<<>>', 'x'))],
  ['in a stream with a short table', pdf(inStream('<<>>', '0', '/Filter/FlateDecode/N 2'))],
  [
    'in a stream whose other dictionary has the filter',
    pdf(inStream(DECODED, '0', '/X<</Filter/FlateDecode>>')),
  ],
  ['in a stream whose filter is a value', pdf(inStream(DECODED, '0', '/X/Filter/FlateDecode 1'))],
  ['in a stream whose filter ends in a blank', pdf(inStream(DECODED, '0', '/Filter#20/FlateDecode'))],
  ['in a stream whose filter ends in a letter', pdf(inStream(DECODED, '0', '/Filter\xa0/FlateDecode'))],
  ['in a stream with two filters', pdf(inStream('<<>>', '0', '/Filter/FlateDecode/Filter/ASCIIHexDecode'))],
  ['in a stream with a short filter', pdf(inStream('<<>>', '0', '/Filter/FlateDecode/F/ASCIIHexDecode'))],
  ['in a stream with an inherited entry', pdf(inStream('<<>>', '0', '/Filter/FlateDecode/constructor 1'))],
  [
    'in a stream after the line of its word',
    pdf(inStream('<<>>', '0', '/Filter/FlateDecode', `${LINE.toString('latin1')}`)),
  ],
  ['in a damaged stream', pdf(objects('\n', damaged('10 0 <<>>')))],
  ['after a byte that is a blank for some readers', pdf('1 0 obj <</FS <</EF\xff<</F 5 0 R>>>>>> endobj')],
  ['in an object after such a byte', pdf(`( 1 0 obj\x80<<${XFA}>> endobj`)],
  [
    'in a stream after such a byte',
    pdf('4 0 obj <</N 1/First 4/Filter/AHx>>\xffstream\n3c3c2f4a5320313e3e\nendstream'),
  ],
  ['in a stream whose filter is before such a byte', pdf(inStream(DECODED, '0', '/Filter\xff/FlateDecode'))],
  [
    'in a stream inside of an array',
    pdf('4 0 obj <</N 1/First 4/Filter/AHx/X [x <<>> stream\n3c3c2f4a5320313e3e\nendstream'),
  ],
  ['after a picture inside of an array', pdf(`( 1 0 obj [BI ID ( EI <<${XFA}>> ) ] endobj`)],
  ['in a stream that says only how many objects it has', pdf(counted(`7 4 <<${XFA}>>`))],
  ['in such a stream that says it is a picture', pdf(counted('7 4 <<>>', '/Subtype/Image'))],
  ['in such a stream with another filter', pdf(counted('372034203c3c>', '/Filter/AHx', false))],
  ['in such a stream whose type is elsewhere', pdf(counted(PROFILE, '/Type 8 0 R'))],
  ['in such a stream that begins like a profile', pdf(counted(`7 40${' '.repeat(32)}acsp(<<${XFA}>>)`))],
  ['as a name in a string', pdf('5 0 obj <</Title (x 7 0 obj /Launch endobj)>> endobj')],
  ['as a name in a comment', pdf('5 0 obj <</A 1>> % 7 0 obj /Launch endobj\nendobj')],
  ['as an escaped name in a string', pdf('5 0 obj <</Title (x 7 0 obj/L#61unch endobj)>> endobj')],
  ['in a name on which some readers do not read', pdf(inStream('/Launchendstream endobj 9 0 obj 1 endobj'))],
  ['in a trailer after half a string', pdf(`( trailer <</Root <<${XFA}>>>>`)],
  ['80 KB of streams without a filter', pdf('obj<</First 1>>stream '.repeat(4_000))],
])('something active is found %s', async (_where, bytes) => {
  expect(await checkPdf(bytes)).toBe('attachment_active_content');
});

test.each<[string, string]>([
  ['an array', '[>> >>]'],
  ['a dictionary', '<<] ]>>'],
  ['a key without a value', '1 /Y >>'],
])('an object that may end inside of %s is refused', async (_what, part) => {
  expect(await checkPdf(pdf(`( 1 0 obj <</X ${part} ${XFA}>> endobj`))).toBe('attachment_unreadable');
});

const KEYWORDS = '<rdf:li>HTML/JavaScript and Node/JS, obj [a >> b], https://shop.example/Launch</rdf:li>';
const metadata = (bytes: Buffer, filter: string) =>
  Buffer.concat([
    Buffer.from(`7 0 obj <</Type/Metadata/Subtype/XML${filter}/Length ${bytes.length}>>\nstream\n`),
    bytes,
    Buffer.from('\nendstream\nendobj\n'),
  ]);
const TITLE = '<</Title (Use /JS files, \\( or (/JavaScript) and /Encrypt) /Id <2f4a53>>>';
test.each<[string, Buffer]>([
  ['objects without parameters', pdf(inStream('<<>>', '0', '/Filter/FlateDecode/DecodeParms null'))],
  [
    'objects with parameters of one filter',
    pdf(inStream('<<>>', '0', '/Filter[/FlateDecode]/DecodeParms[null]')),
  ],
  ['objects with all entries', pdf(inStream('<<>>', '0', '/Extends 3 0 R/Length 5 0 R/DL 9/Filter /Fl'))],
  ['objects without a filter', pdf(stated('<</A(endstream)/B(/JS)>>'))],
  ['objects after the end of a line', pdf(inStream('\r\n<<>>\r\n', '0'))],
  ['names in a title', pdf(`2 0 obj ${TITLE} endobj`)],
  ['names in a title between objects', pdf(TITLE)],
  ['names in a title of a stream', pdf(inStream(TITLE))],
  ['names in the text of a page', pdf(stream('BT (Use /JS and /JavaScript) Tj ET'))],
  ['a colour profile', pdf(counted(PROFILE, '/Alternate/DeviceRGB'))],
  ['a colour profile without a filter', pdf(counted(PROFILE, '', false))],
  ['articles', pdf('5 0 obj <</Type/Thread/F 6 0 R>> endobj 7 0 obj <</F 6 0 R/Type/Thread>> endobj')],
  [
    'a picture whose colours have a function',
    pdf(scan('/Width 2480 /Height 3508 /ColorSpace [/DeviceN [/A] /DeviceRGB << /FunctionType 2 /N 1 >>]')),
  ],
  ['an object that is a name', pdf('5 0 obj /DeviceRGB endobj', inStream('/DeviceRGB'))],
  ['names in a comment', pdf('% /JS and /Launch\n')],
  ['the word of an object in the text of a page', pdf(stream('BT (x = obj[i >> 1];) Tj ET'))],
  ['names in metadata', pdf(metadata(Buffer.from(KEYWORDS), ''))],
  ['names in deflated metadata', pdf(metadata(deflateSync(Buffer.from(KEYWORDS)), '/Filter/FlateDecode'))],
  ['objects with a wrong checksum', pdf(objects('\n', unchecked('10 0 <<>>')))],
  ['an object whose place is inside of a line end', pdf(inStream('\r\n<<>>', '1'))],
  ['an object whose place is before a comment', pdf(inStream('  % x\n<<>>', '1'))],
  ['a comment before the first object', pdf(inStream('<<>>', '0 % x'))],
  ['a key without a value', pdf('1 0 obj <</Type/Catalog/Lang>> endobj')],
  ['a key without a value in a stream of objects', pdf(inStream('<</Type/Catalog/Lang>>'))],
  ['names after a line end in a string', pdf('2 0 obj <</A (\r\n%) /B (/JS)>> endobj')],
])('%s are accepted', async (_what, bytes) => {
  expect(await checkPdf(bytes)).toEqual({ pages: null });
});
