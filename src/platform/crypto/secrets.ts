/**
 * Encrypts stored secrets with AES-256-GCM and keys that are derived from SECRETS_KEY. The first key encrypts, and all
 * keys decrypt. To rotate the key, an operator puts a new key in front and removes the old one when no row needs it.
 */
import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  hash,
  hkdfSync,
  type KeyObject,
  randomBytes,
} from 'node:crypto';

const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const KEY_BYTES = 32;
const KEY_ID_CHARS = 12;
const VERSION = 'v1';

/** A sealed text cannot be opened: the key is unknown, the context is another, or the bytes were changed. */
export class SealedTextError extends Error {
  override readonly name = 'SealedTextError';
}

export interface Secrets {
  /**
   * Seals a text for storage.
   *
   * @param context the row it belongs to, for example `webhook_endpoint:whe_…`; opening needs the same context, so
   *   that a sealed text is useless in another row
   */
  seal(text: string, context: string): string;
  /** @throws SealedTextError */
  open(sealed: string, context: string): string;
  /** Whether an older key has sealed the text. When all texts are sealed again, that key can be removed. */
  isStale(sealed: string): boolean;
  /**
   * Digests of a text that reveal nothing without the keys, one for each key, that of the first key first.
   *
   * @param purpose digests for one purpose say nothing about those for another
   */
  digests(purpose: string, text: string): readonly string[];
}

/** Derives a key for one purpose. It does not reveal the master key or the keys for other purposes. */
export function deriveKey(master: Buffer, purpose: string): Buffer {
  return Buffer.from(
    hkdfSync('sha256', master, Buffer.alloc(0), `seller-partner-service ${purpose}`, KEY_BYTES),
  );
}

interface Key {
  readonly id: string;
  readonly bytes: Buffer;
}

function encryptionKey(master: Buffer): Key {
  const bytes = deriveKey(master, 'secrets at rest');
  return { id: hash('sha256', bytes, 'hex').slice(0, KEY_ID_CHARS), bytes };
}

/**
 * @param masters at least one key of 32 bytes; the first one encrypts
 */
export function createSecrets(masters: readonly Buffer[]): Secrets {
  const keys = masters.map(encryptionKey);
  const [first] = keys;
  if (first === undefined) throw new Error('no secrets key');
  const byId = new Map(keys.map((key) => [key.id, key]));
  // The purposes are few and fixed, and each order asks for a digest.
  const ofPurpose = new Map<string, readonly KeyObject[]>();
  const digestKeys = (purpose: string): readonly KeyObject[] => {
    const known =
      ofPurpose.get(purpose) ?? masters.map((master) => createSecretKey(deriveKey(master, purpose)));
    ofPurpose.set(purpose, known);
    return known;
  };
  return {
    seal(text, context) {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv('aes-256-gcm', first.bytes, nonce, { authTagLength: TAG_BYTES });
      cipher.setAAD(Buffer.from(context));
      const body = Buffer.concat([nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]);
      return `${VERSION}.${first.id}.${body.toString('base64url')}`;
    },
    open(sealed, context) {
      const [version, id = '', body = ''] = sealed.split('.');
      const key = byId.get(id);
      if (version !== VERSION || key === undefined)
        throw new SealedTextError('the key of the sealed text is not configured');
      const bytes = Buffer.from(body, 'base64url');
      if (bytes.length < NONCE_BYTES + TAG_BYTES) throw new SealedTextError('the sealed text is cut short');
      const decipher = createDecipheriv('aes-256-gcm', key.bytes, bytes.subarray(0, NONCE_BYTES), {
        authTagLength: TAG_BYTES,
      });
      decipher.setAAD(Buffer.from(context));
      decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
      try {
        const opened = [decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()];
        return Buffer.concat(opened).toString('utf8');
      } catch (cause) {
        throw new SealedTextError('the sealed text was changed or belongs to another context', { cause });
      }
    },
    isStale: (sealed) => sealed.split('.')[1] !== first.id,
    digests: (purpose, text) =>
      digestKeys(purpose).map((key) => createHmac('sha256', key).update(text).digest('hex')),
  };
}
