import pg from 'pg';
import { SUPERUSER } from './cluster.ts';
import { LOOPBACK } from './free-port.ts';

/** A server that accepts connections can still be busy with a crash: do not wait for ever on one. */
const CONNECT_TIMEOUT_MS = 5_000;

/** Where a superuser session goes. */
export interface SuperuserAddress {
  readonly port: number;
  readonly password: string;
  readonly database: string;
}

/** Runs `work` on one superuser session of the embedded server and ends it. */
export async function asSuperuser<T>(
  address: SuperuserAddress,
  work: (client: pg.Client) => Promise<T>,
): Promise<T> {
  const client = new pg.Client({
    host: LOOPBACK,
    user: SUPERUSER,
    ssl: false,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    ...address,
  });
  // A session that breaks between two statements is reported by the next one; without a listener it
  // would end the process.
  client.on('error', () => undefined);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** A connection URL for a server on loopback. */
export function connectionUrl(user: string, password: string, port: number, database: string): string {
  return `postgres://${encodeURIComponent(user)}:${encodeURIComponent(password)}@${LOOPBACK}:${port}/${database}`;
}
