import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { SignJWT } from 'jose';

/** A signing key of a test marketplace. */
export interface TestKey {
  readonly kid: string;
  readonly alg: 'ES256' | 'RS256' | 'EdDSA';
  readonly privateKey: KeyObject;
  /** The public key, as in the key set. */
  readonly jwk: Record<string, unknown>;
}

export function testKey(kid: string, alg: TestKey['alg'] = 'ES256', rsaBits = 2048): TestKey {
  const pair =
    alg === 'ES256'
      ? generateKeyPairSync('ec', { namedCurve: 'P-256' })
      : alg === 'RS256'
        ? generateKeyPairSync('rsa', { modulusLength: rsaBits })
        : generateKeyPairSync('ed25519');
  return {
    kid,
    alg,
    privateKey: pair.privateKey,
    jwk: { ...pair.publicKey.export({ format: 'jwk' }), kid, alg, use: 'sig' },
  };
}

/** Signs any claims; undefined values are left out. */
export async function signWith(
  key: TestKey,
  claims: Record<string, unknown>,
  header: Record<string, unknown> = {},
): Promise<string> {
  const clean = (value: object) => JSON.parse(JSON.stringify(value));
  return new SignJWT(clean(claims))
    .setProtectedHeader(clean({ alg: key.alg, typ: 'JWT', kid: key.kid, ...header }))
    .sign(key.privateKey);
}

/** A key set on loopback that can be changed, counted and broken. */
export interface KeySetServer {
  readonly url: string;
  /** Requests so far. */
  readonly hits: () => number;
  publish(...keys: TestKey[]): void;
  /** Answers every following request by hand; undefined: the published keys again. */
  answer(by: ((response: ServerResponse) => void) | undefined): void;
  close(): Promise<void>;
}

export async function startKeySetServer(...keys: TestKey[]): Promise<KeySetServer> {
  let published = keys;
  let hits = 0;
  let by: ((response: ServerResponse) => void) | undefined;
  const server = createServer((_request, response) => {
    hits += 1;
    if (by !== undefined) {
      by(response);
      return;
    }
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ keys: published.map((key) => key.jwk) }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/jwks.json`,
    hits: () => hits,
    publish: (...next) => {
      published = next;
    },
    answer: (next) => {
      by = next;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
