const CONTROL = /[^\P{Cc}\t\n\r]/u;

/** Whether bytes are UTF-8 without control characters but tabs and line ends. */
export function isPlainText(bytes: Buffer): boolean {
  try {
    return bytes.length > 0 && !CONTROL.test(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    return false;
  }
}
