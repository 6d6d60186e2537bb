/** The signing keys of the demo marketplace: kept below the data directory, so that sessions outlive a restart. */
import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
} from 'node:crypto';
import { renameSync, writeFileSync } from 'node:fs';
import { generatedSecret, generatedSecretPath } from '../../src/platform/crypto/generated-secret.ts';

export type DemoAlgorithm = 'ES256' | 'EdDSA';

export interface DemoKey {
  readonly kid: string;
  readonly alg: DemoAlgorithm;
  readonly privateKey: KeyObject;
}

export interface DemoKeys {
  /** The newest key of an algorithm. */
  signer(alg: DemoAlgorithm): DemoKey;
  /** Public JWKs, newest first. */
  published(): Record<string, unknown>[];
  /** Adds a new ES256 key in front; `dropOld` removes all earlier keys from the published set. */
  rotate(dropOld: boolean): void;
}

const FILE = 'demo-marketplace.json';
const OWNER_ONLY_FILE = 0o600;

interface StoredKey {
  readonly kid: string;
  readonly alg: DemoAlgorithm;
  readonly jwk: Record<string, unknown>;
}

function makeKey(alg: DemoAlgorithm): StoredKey {
  const { privateKey } =
    alg === 'ES256' ? generateKeyPairSync('ec', { namedCurve: 'P-256' }) : generateKeyPairSync('ed25519');
  const jwk = privateKey.export({ format: 'jwk' }) as Record<string, unknown>;
  return { kid: randomBytes(8).toString('hex'), alg, jwk };
}

const load = ({ kid, alg, jwk }: StoredKey): DemoKey => ({
  kid,
  alg,
  privateKey: createPrivateKey({ key: jwk, format: 'jwk' }),
});

/** Opens the keys of a data directory; makes them the first time. */
export function openDemoKeys(dataDir: string): DemoKeys {
  const make = (): string => JSON.stringify([makeKey('ES256'), makeKey('EdDSA')]);
  let stored = JSON.parse(generatedSecret(dataDir, FILE, make)) as StoredKey[];
  let keys = stored.map(load);

  const save = (next: StoredKey[]): void => {
    const path = generatedSecretPath(dataDir, FILE);
    writeFileSync(`${path}.new`, JSON.stringify(next), { mode: OWNER_ONLY_FILE, flush: true });
    renameSync(`${path}.new`, path);
    stored = next;
    keys = next.map(load);
  };

  return {
    signer(alg) {
      const key = keys.find((candidate) => candidate.alg === alg);
      if (key === undefined) throw new Error(`the demo marketplace has no ${alg} key`);
      return key;
    },
    published: () =>
      keys.map(({ kid, alg, privateKey }) => ({
        ...createPublicKey(privateKey).export({ format: 'jwk' }),
        kid,
        alg,
        use: 'sig',
      })),
    rotate(dropOld) {
      save([makeKey('ES256'), ...(dropOld ? [makeKey('EdDSA')] : stored)]);
    },
  };
}
