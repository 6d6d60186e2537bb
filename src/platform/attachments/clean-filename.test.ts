import fc from 'fast-check';
import { expect, test } from 'vitest';
import { cleanFilename } from './clean-filename.ts';

test.each([
  ['Invoice 7.pdf', 'application/pdf', 'Invoice 7.pdf'],
  ['PHOTO.JPEG', 'image/jpeg', 'PHOTO.jpeg'],
  ['C:\\Users\\me\\scan.png', 'image/png', 'scan.png'],
  ['../../etc/passwd', 'text/plain', 'passwd.txt'],
  ['invoice.exe', 'application/pdf', 'invoice.exe.pdf'],
  ['invoice\u202efdp.exe', 'application/pdf', 'invoice_fdp.exe.pdf'],
  ['a<b>:"|?*\u0000.png', 'image/png', 'a_b_______.png'],
  ['.htaccess', 'text/plain', '_htaccess.txt'],
  ['cafe\u0301.webp', 'image/webp', 'caf\u00e9.webp'],
  ['', 'image/webp', 'attachment.webp'],
  ['.pdf', 'application/pdf', '_pdf.pdf'],
] as const)('%j of %s is %j', (given, type, name) => {
  expect(cleanFilename(given, type)).toBe(name);
});

test('every name has 1 to 120 characters, the extension of its kind, and cleaning it again changes nothing', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (given) => {
      const name = cleanFilename(given, 'application/pdf');
      expect([...name].length).toBeLessThanOrEqual(120);
      expect(name).toMatch(/^[^/\\\p{Cc}]+\.pdf$/u);
      expect(cleanFilename(name, 'application/pdf')).toBe(name);
    }),
  );
});
