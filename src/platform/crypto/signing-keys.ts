/**
 * The keys of the service's own tokens (Ed25519). The first key signs and all keys verify, so a new key in front
 * invalidates no token. Source: docs/design/wire.md#keys-and-secrets.
 */
import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { calculateJwkThumbprint } from 'jose';

export interface PublicJwk {
  readonly kty: 'OKP';
  readonly crv: 'Ed25519';
  readonly x: string;
  readonly kid: string;
  readonly alg: 'EdDSA';
  readonly use: 'sig';
}

export interface SigningKeys {
  readonly signer: { readonly kid: string; readonly key: KeyObject };
  /** Public keys by key id. */
  readonly verifiers: ReadonlyMap<string, KeyObject>;
  /** The content of `/.well-known/jwks.json`, without private parts. */
  readonly published: readonly PublicJwk[];
}

/** The text is not a list of signing keys. The message does not quote it, because it is a secret. */
export class SigningKeysError extends Error {
  override readonly name = 'SigningKeysError';
}

/** Key ids appear in logs and in `GET /auth/session`. */
const ALLOWED_KID = /^[A-Za-z0-9._:-]{1,128}$/;

interface LoadedKey {
  readonly kid: string;
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
  readonly published: PublicJwk;
}

async function loadKey(entry: unknown, place: string): Promise<LoadedKey> {
  if (typeof entry !== 'object' || entry === null) throw new SigningKeysError(`${place} is not a JWK`);
  const { kty, crv, d, x, kid: given } = entry as Record<string, unknown>;
  if (kty !== 'OKP' || crv !== 'Ed25519' || typeof d !== 'string' || typeof x !== 'string') {
    throw new SigningKeysError(`${place} must be a private JWK with kty "OKP", crv "Ed25519", d and x`);
  }
  if (given !== undefined && (typeof given !== 'string' || !ALLOWED_KID.test(given))) {
    throw new SigningKeysError(`${place} has a kid that is not 1 to 128 letters, digits or . _ : -`);
  }
  let privateKey: KeyObject;
  try {
    privateKey = createPrivateKey({ key: { kty, crv, d, x }, format: 'jwk' });
  } catch {
    throw new SigningKeysError(`${place} is not a valid Ed25519 key`);
  }
  const publicKey = createPublicKey(privateKey);
  const derived = publicKey.export({ format: 'jwk' }).x;
  // With a wrong public part in the key set, no other verifier would accept tokens of this key.
  if (derived !== x) throw new SigningKeysError(`${place} has an x that does not belong to its d`);
  const kid = given ?? (await calculateJwkThumbprint({ kty, crv, x }));
  return { kid, privateKey, publicKey, published: { kty, crv, x, kid, alg: 'EdDSA', use: 'sig' } };
}

/**
 * Reads a JSON array of private Ed25519 JWKs. A key without `kid` gets its RFC 7638 thumbprint.
 *
 * @throws SigningKeysError saying which key is wrong and how, without showing it
 */
export async function parseSigningKeys(text: string): Promise<SigningKeys> {
  let list: unknown;
  try {
    list = JSON.parse(text);
  } catch {
    throw new SigningKeysError('the value is not JSON');
  }
  if (!Array.isArray(list) || list.length === 0) {
    throw new SigningKeysError('the value must be a JSON array of at least one private JWK');
  }
  const keys = await Promise.all(list.map((entry, index) => loadKey(entry, `key ${index + 1}`)));
  const verifiers = new Map(keys.map(({ kid, publicKey }) => [kid, publicKey]));
  if (verifiers.size < keys.length) throw new SigningKeysError('two keys have the same kid');
  const [first] = keys;
  if (first === undefined) throw new SigningKeysError('no key');
  return {
    signer: { kid: first.kid, key: first.privateKey },
    verifiers,
    published: keys.map((key) => key.published),
  };
}

/** A new list of one key, in the form of TOKEN_SIGNING_KEYS. */
export function generateSigningKeys(): string {
  const { privateKey } = generateKeyPairSync('ed25519');
  return JSON.stringify([privateKey.export({ format: 'jwk' })]);
}
