/** Digests of short texts. */
import { hash } from 'node:crypto';

/** SHA-256 of a text's UTF-8 bytes, 64 hexadecimal digits. */
export function sha256Hex(text: string): string {
  return hash('sha256', text, 'hex');
}
