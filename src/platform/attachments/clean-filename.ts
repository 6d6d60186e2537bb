/** A name under which a file can be saved anywhere. Source: docs/design/attachments.md#names. */
import type { FileType } from './check-file.ts';

const CHARACTERS_MAX = 120;
/** The first one is added where the name has none of them. */
const EXTENSIONS: Readonly<Record<FileType, readonly [string, ...string[]]>> = {
  'image/jpeg': ['jpg', 'jpeg'],
  'image/png': ['png'],
  'image/webp': ['webp'],
  'application/pdf': ['pdf'],
  'text/plain': ['txt'],
};
/** Control characters and line ends, those that change the direction of text, and those that file systems reserve. */
const UNSAFE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}<>:"|?*]/gu;

export function cleanFilename(given: string, type: FileType): string {
  const last = given.normalize('NFC').split(/[/\\]/).at(-1) ?? '';
  const safe = last
    .replaceAll(UNSAFE, '_')
    .trim()
    .replace(/^\.+|\.+$/g, '_');
  const known = EXTENSIONS[type];
  const has = known.find((one) => safe.toLowerCase().endsWith(`.${one}`));
  const end = `.${has ?? known[0]}`;
  const stem = has === undefined ? safe : safe.slice(0, -end.length);
  return [...(stem === '' ? 'attachment' : stem)].slice(0, CHARACTERS_MAX - end.length).join('') + end;
}
