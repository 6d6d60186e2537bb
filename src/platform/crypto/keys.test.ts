import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { ConfigError } from '../../config.ts';
import { generatedSecret, generatedSecretPath } from './generated-secret.ts';
import { createKeys } from './keys.ts';
import { createSecrets, SealedTextError } from './secrets.ts';
import { generateSigningKeys } from './signing-keys.ts';

const root = mkdtempSync(join(tmpdir(), 'spp-keys-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));
const scratch = (): string => mkdtempSync(join(root, 'data-'));
const development = (dataDir = scratch()) => ({
  APP_ENV: 'development' as const,
  DATA_DIR: dataDir,
  TOKEN_SIGNING_KEYS: undefined,
  SECRETS_KEY: [],
  INTERNAL_TOKEN: undefined,
});
const privateJwk = (more: object = {}): Record<string, unknown> => ({
  ...(JSON.parse(generateSigningKeys()) as [Record<string, unknown>])[0],
  ...more,
});

describe('generated keys', () => {
  test('are the same after a restart, and only the owner can read them', async () => {
    const dataDir = scratch();
    const first = await createKeys(development(dataDir));
    const second = await createKeys(development(dataDir));
    expect(second.signing.signer.kid).toBe(first.signing.signer.kid);
    expect(second.internalToken).toBe(first.internalToken);
    expect(second.cursorKey.equals(first.cursorKey)).toBe(true);
    expect(second.secrets.open(first.secrets.seal('whsec', 'a'), 'a')).toBe('whsec');
    const files = readdirSync(join(dataDir, 'keys'));
    expect(files.sort()).toEqual(['internal-token', 'secrets-key', 'token-signing-keys.json']);
    for (const file of files) expect(statSync(join(dataDir, 'keys', file)).mode & 0o777).toBe(0o600);
    expect(statSync(join(dataDir, 'keys')).mode & 0o777).toBe(0o700);
  });

  test('of two installations differ', async () => {
    const [a, b] = await Promise.all([createKeys(development()), createKeys(development())]);
    expect(a.signing.signer.kid).not.toBe(b.signing.signer.kid);
    expect(a.internalToken).not.toBe(b.internalToken);
    expect(a.cursorKey.equals(b.cursorKey)).toBe(false);
  });

  test('are those of the first of two simultaneous starts', () => {
    const dataDir = scratch();
    const name = 'secret';
    const made = generatedSecret(dataDir, name, () => {
      // Another process writes its key after this one has looked for it.
      writeFileSync(generatedSecretPath(dataDir, name), 'winner\n');
      return 'loser';
    });
    expect(made).toBe('winner');
    expect(readdirSync(join(dataDir, 'keys'))).toEqual([name]);
  });

  test('are not replaced when they cannot be read', () => {
    const dataDir = scratch();
    mkdirSync(generatedSecretPath(dataDir, 'secret'), { recursive: true });
    expect(() => generatedSecret(dataDir, 'secret', () => 'new')).toThrow(/EISDIR/);
  });

  test('are never made in production', async () => {
    const dataDir = scratch();
    const config = { ...development(dataDir), APP_ENV: 'production' as const };
    await expect(createKeys(config)).rejects.toThrow(/SECRETS_KEY: missing/);
    expect(readdirSync(dataDir)).toEqual([]);
  });
});

describe('TOKEN_SIGNING_KEYS', () => {
  const withKeys = (value: unknown) => ({
    ...development(),
    TOKEN_SIGNING_KEYS: typeof value === 'string' ? value : JSON.stringify(value),
  });

  test('the first signs, all are published without their private part', async () => {
    const keys = [privateJwk({ kid: 'new' }), privateJwk()];
    const { signing } = await createKeys(withKeys(keys));
    expect(signing.signer.kid).toBe('new');
    expect(signing.published.map((key) => key.x)).toEqual(keys.map((key) => key['x']));
    expect(JSON.stringify(signing.published)).not.toContain(String(keys[0]?.['d']));
    expect(signing.published[1]?.kid).toMatch(/^[A-Za-z0-9_-]{43}$/);
  });

  const p256 = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'jwk' });
  const other = privateJwk();
  test.each<[string, unknown]>([
    ['no JSON', 'not json'],
    ['a key instead of a list', privateJwk()],
    ['an empty list', []],
    ['null', [null]],
    ['another curve', [p256]],
    ['a public key', [privateJwk({ d: undefined })]],
    ['a public part that belongs to another key', [privateJwk({ x: other['x'] })]],
    ['a short private part', [privateJwk({ d: 'AAAA' })]],
    ['a kid that is a number', [privateJwk({ kid: 7 })]],
    ['a kid with a path', [privateJwk({ kid: '../../etc/passwd' })]],
    ['the same kid twice', [privateJwk({ kid: 'k' }), privateJwk({ kid: 'k' })]],
  ])('%s is refused by name, and the secret is not shown', async (_what, value) => {
    const refused = await createKeys(withKeys(value)).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(ConfigError);
    expect(String(refused)).toMatch(/TOKEN_SIGNING_KEYS/);
    const secret = Array.isArray(value) ? (value[0] as { d?: string } | null)?.d : undefined;
    if (secret !== undefined) expect(String(refused)).not.toContain(secret);
  });
});

describe('SECRETS_KEY', () => {
  const key = (): string => randomBytes(32).toString('base64');

  test.each([
    'short',
    Buffer.alloc(31, 1).toString('base64'),
    Buffer.alloc(33, 1).toString('base64'),
    '!'.repeat(44),
  ])('%s is refused by name', async (value) => {
    await expect(createKeys({ ...development(), SECRETS_KEY: [value] })).rejects.toThrow(/^SECRETS_KEY/);
  });

  test('the first key seals; texts of a later key can still be opened, and are stale', async () => {
    const old = key();
    const before = await createKeys({ ...development(), SECRETS_KEY: [old] });
    const after = await createKeys({ ...development(), SECRETS_KEY: [key(), old] });
    const sealed = before.secrets.seal('whsec_abc', 'endpoint:1');
    expect(after.secrets.open(sealed, 'endpoint:1')).toBe('whsec_abc');
    expect(after.secrets.isStale(sealed)).toBe(true);
    const anew = after.secrets.seal('whsec_abc', 'endpoint:1');
    expect(after.secrets.isStale(anew)).toBe(false);
    expect(() => before.secrets.open(anew, 'endpoint:1')).toThrow(SealedTextError);
  });
});

describe('sealed texts', () => {
  const secrets = createSecrets([randomBytes(32)]);

  test('open to the same text, and each sealing differs', () => {
    for (const text of ['', 'whsec_…', '\u0000', '😀'.repeat(1_000)]) {
      expect(secrets.open(secrets.seal(text, 'c'), 'c')).toBe(text);
    }
    expect(secrets.seal('same', 'c')).not.toBe(secrets.seal('same', 'c'));
  });

  test('moved to another context, cut or changed in any byte are refused', () => {
    const sealed = secrets.seal('whsec_abc', 'endpoint:1');
    expect(() => secrets.open(sealed, 'endpoint:2')).toThrow(SealedTextError);
    const [version, id, body = ''] = sealed.split('.');
    const bytes = Buffer.from(body, 'base64url');
    for (let i = 0; i < bytes.length; i += 1) {
      const changed = Buffer.from(bytes);
      changed[i] = (changed[i] ?? 0) ^ 1;
      expect(() => secrets.open(`${version}.${id}.${changed.toString('base64url')}`, 'endpoint:1')).toThrow(
        SealedTextError,
      );
    }
    for (const broken of ['', 'v1', 'v1.x.y', `v2.${id}.${body}`, `${version}.${id}.AAAA`]) {
      expect(() => secrets.open(broken, 'endpoint:1')).toThrow(SealedTextError);
    }
  });
});

test('generated files have the form of the variables', async () => {
  const dataDir = scratch();
  const generated = await createKeys(development(dataDir));
  const read = (name: string): string => readFileSync(join(dataDir, 'keys', name), 'utf8').trim();
  const configured = await createKeys({
    APP_ENV: 'production',
    DATA_DIR: scratch(),
    TOKEN_SIGNING_KEYS: read('token-signing-keys.json'),
    SECRETS_KEY: [read('secrets-key')],
    INTERNAL_TOKEN: read('internal-token'),
  });
  expect(configured.signing.published).toEqual(generated.signing.published);
  expect(configured.cursorKey.equals(generated.cursorKey)).toBe(true);
});
