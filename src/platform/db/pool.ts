/** Connection pools: one for requests and one for long work (feeds, exports), so that neither blocks the other. */
import pg from 'pg';
import type { Logger } from '../../kernel/context.ts';
import { type DatabaseAddress, databaseAddress } from '../../kernel/database-url.ts';
import { sendUnnamed } from './batch.ts';
import { prepareSession } from './scope-settings.ts';
import { isLostStatement, isReadOnly, isUnavailable, readOnlyError } from './unavailable.ts';

/** A request that waits longer than this for a connection is answered 503 instead of piling up. */
export const ACQUIRE_TIMEOUT_MS = 5_000;
/** Sessions that accept no writes are replaced at most this often. */
const RENEW_EVERY_MS = 1_000;

interface PoolOptions {
  readonly url: string;
  readonly max: number;
  readonly name: string;
  readonly log: Logger;
  /**
   * Connections may be held for long. Each execution is planned anew: a plan that was cached while the tables were nearly
   * empty may use any index that begins with the seller, and would then read a whole catalogue for each row of a large
   * file.
   */
  readonly longWork?: boolean;
}

/** The hosts of DATABASE_URL. config.ts has checked it. */
export function addressOf(url: string): DatabaseAddress {
  const address = databaseAddress(url);
  if (address === undefined) throw new Error('DATABASE_URL is not valid');
  return address;
}

/** @throws an error with SQLSTATE 25006 if the server accepts no writes */
export async function requireWritable(client: pg.ClientBase): Promise<void> {
  const { rows } = await client.query<{ transaction_read_only: string }>('show transaction_read_only');
  if (rows[0]?.transaction_read_only === 'on') throw readOnlyError();
}

/** A pool that tries several hosts in turn, and replaces its sessions when the server accepts no writes any more. */
export class SessionPool extends pg.Pool {
  readonly longWork: boolean;
  private readonly address: DatabaseAddress;
  /** Sessions that were opened since the last {@link renew}. */
  private current = new WeakSet<pg.PoolClient>();
  private renewedAt = Number.NEGATIVE_INFINITY;
  private named = true;
  private readonly logger: Logger;

  constructor({ url, max, name, log, longWork = false }: PoolOptions) {
    const address = addressOf(url);
    super({
      connectionString: address.urls[0],
      max,
      connectionTimeoutMillis: ACQUIRE_TIMEOUT_MS,
      // Idle sessions stay open: the timer that closes them would run for every statement.
      idleTimeoutMillis: 0,
      maxLifetimeSeconds: 3_600,
      application_name: `spp-${name}`,
      keepAlive: true,
      onConnect: async (client) => {
        if (!this.named) sendUnnamed(client);
        if (address.writable) await requireWritable(client);
        await prepareSession(client);
      },
    });
    this.address = address;
    this.longWork = longWork;
    this.logger = log;
    this.on('error', (error) => log.warn({ err: error.message, pool: name }, 'idle connection lost'));
    this.on('connect', (client) => {
      this.current.add(client);
      // The pool handles errors of idle connections only. The error of a connection that is held but not in use would
      // be unhandled and end the process. The holder gets it with its next statement.
      client.on('error', (error) => log.warn({ err: error.message, pool: name }, 'connection lost'));
    });
  }

  /** Takes a connection. If a host does not answer, or accepts no writes although they are asked for, tries the next. */
  async take(): Promise<pg.PoolClient> {
    const deadline = performance.now() + ACQUIRE_TIMEOUT_MS;
    for (let hosts = this.address.urls.length; ; ) {
      const url = this.options.connectionString;
      try {
        const client = await this.connect();
        if (this.current.has(client)) return client;
        client.release(true);
      } catch (error) {
        if (!isUnavailable(error)) throw error;
        this.leave(url);
        hosts -= 1;
        if (hosts === 0 || performance.now() > deadline) throw error;
      }
    }
  }

  /** Gives a connection back. One that accepts no writes is closed, and so are all others when they are taken next. */
  giveBack(client: pg.PoolClient, broken?: Error): void {
    if (isReadOnly(broken) && performance.now() - this.renewedAt > RENEW_EVERY_MS) this.renew();
    if (isLostStatement(broken)) this.stopNaming();
    client.release(broken);
  }

  /**
   * Sends statements without names from now on, over new connections: the pooler in front of PostgreSQL gives them to
   * the wrong client. @returns false if the pool does so already
   */
  stopNaming(): boolean {
    if (!this.named) return false;
    this.named = false;
    this.renew();
    const what = 'the pooler does not keep prepared statements apart, so each statement is parsed anew';
    this.logger.warn({ pool: this.options.application_name }, `${what} (docs/operations.md#pgbouncer)`);
    return true;
  }

  private renew(): void {
    this.renewedAt = performance.now();
    this.current = new WeakSet();
  }

  /** Connects to the next host from now on, unless another request has changed the host meanwhile. */
  private leave(url: string | undefined): void {
    const { urls } = this.address;
    if (this.options.connectionString !== url) return;
    this.options.connectionString = urls[(urls.indexOf(url ?? '') + 1) % urls.length];
  }
}

/** Makes a pool; a connection that breaks is logged and replaced. */
export const createPool = (options: PoolOptions): SessionPool => new SessionPool(options);
