const CONTROL = /[^\P{Cc}\t\n\r]/u;
/** HTML, SVG and other XML, which a browser could run. */
const MARKUP = /^\s*<[!?a-z]/i;

/** Whether bytes are UTF-8 without control characters but tabs and line ends, and do not begin as markup. */
export function isPlainText(bytes: Buffer): boolean {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return text !== '' && !CONTROL.test(text) && !MARKUP.test(text);
  } catch {
    return false;
  }
}
