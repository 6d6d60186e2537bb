/** A throw-away migrated database for the files that are generated from one. */
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { migrate } from '../../src/platform/db/migrate.ts';
import { startEmbedded } from '../../src/platform/embedded-postgres/index.ts';
import { type Catalogue, readCatalogue } from './catalogue.ts';

/** Starts the embedded server in a temporary directory, migrates, reads the catalogue and removes everything. */
export async function migratedCatalogue(): Promise<Catalogue> {
  const dataDir = mkdtempSync(join(tmpdir(), 'spp-gen-'));
  // The server's user must be able to enter root's temporary directory.
  chmodSync(dataDir, 0o755);
  const server = await startEmbedded({ dataDir, log: () => undefined, durability: 'none' });
  try {
    await migrate({ url: server.superuserUrl, runtimeLogin: server.user });
    return await catalogueOf(server.superuserUrl);
  } finally {
    await server.stop();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

/** The catalogue of an existing database. */
export async function catalogueOf(url: string): Promise<Catalogue> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await readCatalogue(client);
  } finally {
    await client.end();
  }
}
