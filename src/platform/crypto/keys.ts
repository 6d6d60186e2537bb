/**
 * The secrets of the service. They come from the environment. Outside production, missing ones are generated once and
 * stored below DATA_DIR. Source: docs/design/wire.md#keys-and-secrets.
 */
import { randomBytes } from 'node:crypto';
import { type Config, ConfigError } from '../../config.ts';
import { generatedSecret } from './generated-secret.ts';
import { createSecrets, deriveKey, type Secrets } from './secrets.ts';
import { generateSigningKeys, parseSigningKeys, type SigningKeys, SigningKeysError } from './signing-keys.ts';

export interface Keys {
  /** Keys of the service's own tokens. */
  readonly signing: SigningKeys;
  /** Encrypts stored secrets. */
  readonly secrets: Secrets;
  /** The key of `kernel/cursor.ts`. It is derived from the first SECRETS_KEY, so a rotation invalidates cursors. */
  readonly cursorKey: Buffer;
  /** Bearer token of the marketplace listener. */
  readonly internalToken: string;
}

type KeyConfig = Pick<
  Config,
  'APP_ENV' | 'DATA_DIR' | 'TOKEN_SIGNING_KEYS' | 'SECRETS_KEY' | 'INTERNAL_TOKEN'
>;

const SECRETS_KEY_BYTES = 32;
const INTERNAL_TOKEN_BYTES = 24;
/**
 * Base64 or base64url of 32 bytes, with or without padding. It is checked, because the decoder skips other
 * characters.
 */
const BASE64_OF_32_BYTES = /^[A-Za-z0-9+/_-]{43}=?$/;

/** Names below `DATA_DIR/keys`. */
const GENERATED = {
  TOKEN_SIGNING_KEYS: 'token-signing-keys.json',
  SECRETS_KEY: 'secrets-key',
  INTERNAL_TOKEN: 'internal-token',
} as const;

/** The configured secret, or else the generated one. Production generates none. */
function configuredOrMade(
  config: KeyConfig,
  name: keyof typeof GENERATED,
  given: string | undefined,
  make: () => string,
): string {
  if (given !== undefined && given !== '') return given;
  if (config.APP_ENV === 'production')
    throw new ConfigError(`${name}: missing; production generates no secrets`);
  return generatedSecret(config.DATA_DIR, GENERATED[name], make);
}

async function readSigningKeys(text: string): Promise<SigningKeys> {
  try {
    return await parseSigningKeys(text);
  } catch (error) {
    if (!(error instanceof SigningKeysError)) throw error;
    throw new ConfigError(
      `TOKEN_SIGNING_KEYS: ${error.message}; allowed: a JSON array of private Ed25519 JWKs, the first signs`,
    );
  }
}

function readSecretsKey(text: string): Buffer[] {
  return text.split(',').map((part) => {
    const key = part.trim();
    if (!BASE64_OF_32_BYTES.test(key)) {
      throw new ConfigError('SECRETS_KEY: allowed: base64 of 32 bytes, comma-separated while rotating');
    }
    return Buffer.from(key, 'base64');
  });
}

/**
 * Reads or generates the keys.
 *
 * @throws ConfigError naming the variable that is missing or not allowed
 */
export async function createKeys(config: KeyConfig): Promise<Keys> {
  const configuredSecrets = config.SECRETS_KEY.length === 0 ? undefined : config.SECRETS_KEY.join(',');
  const masters = readSecretsKey(
    configuredOrMade(config, 'SECRETS_KEY', configuredSecrets, () =>
      randomBytes(SECRETS_KEY_BYTES).toString('base64'),
    ),
  );
  return {
    signing: await readSigningKeys(
      configuredOrMade(config, 'TOKEN_SIGNING_KEYS', config.TOKEN_SIGNING_KEYS, generateSigningKeys),
    ),
    secrets: createSecrets(masters),
    cursorKey: deriveKey(masters[0] ?? Buffer.alloc(0), 'list cursors'),
    internalToken: configuredOrMade(config, 'INTERNAL_TOKEN', config.INTERNAL_TOKEN, () =>
      randomBytes(INTERNAL_TOKEN_BYTES).toString('base64url'),
    ),
  };
}
