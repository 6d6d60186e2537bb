/**
 * The only ways to a database handle. `withSeller` binds every statement to one seller by row-level security;
 * `withSystem` is the worker's, for reasons from a closed list. Source: docs/design/architecture.md#tenancy.
 */
import type pg from 'pg';
import type { CursorDb, SellerPrincipal, Standing, Statement } from '../../kernel/context.ts';
import { openPipeline, type Pipeline, type StatementResult, sendBatch } from './batch.ts';
import { boolean, type RowOf } from './columns.ts';
import { type Connect, connectionsOf, type Lease } from './fair-connections.ts';
import type { SessionPool } from './pool.ts';
import { STANDING, STANDING_COLUMNS } from './read-standing.ts';
import { ReadsTogether } from './reads-together.ts';
import { ROLL_BACK_TO_SAVEPOINT } from './savepoint.ts';
import { mayWrite, ownSettings, type ScopeOptions, scopeOn, type TxMode } from './scope-settings.ts';
import { command, raw, statement } from './statement.ts';
import { isOfSession } from './unavailable.ts';

const ENDS = { commit: command`commit`, rollback: command`rollback` };

/** Reasons of the platform and the internal listener to work outside of any seller's scope; modules add their own. */
export const SYSTEM_REASONS = [
  'marketplace-event',
  'sequencer',
  'jobs',
  'retention',
  'clock',
  'rate-limit',
  'resolve-identity',
  'metrics',
];

/**
 * Runs in a transaction of its own. Its commit waits for the disk and for a synchronous standby, and so for all earlier
 * commits. The message is not read; the transaction only needs something to write.
 */
export const WAIT_FOR_DISK = command`select pg_logical_emit_message(true, 'spp', '')`;

interface SellerScopeOptions extends ScopeOptions {
  /** Session of the token. A revoked session ends the token. */
  readonly sid?: string;
  /** The member of a token without a session here: it is live while the member is active and has these roles. */
  readonly member?: Pick<SellerPrincipal, 'member_id' | 'roles'>;
  /** Called with the first answer of the database, before the caller gets any row. It may throw to refuse. */
  readonly onStanding?: (standing: Standing, sessionLive: boolean) => void;
  /** Takes the connection before `fn` runs, for work that begins with a statement. */
  readonly prompt?: boolean;
}

const STANDING_ROW = { ...STANDING, session_live: boolean };
const STANDING_LIST = raw(STANDING_COLUMNS.map((name) => `s.${name}`).join(', '));
const standingOf = (sellerId: string, sid: string) => statement(STANDING_ROW)`
  select ${STANDING_LIST},
         (a.sid is not null and a.revoked_at is null) as session_live
    from v_sellers_standing s
    left join v_sellers_session a on a.seller_id = s.seller_id and a.sid = ${sid}
   where s.seller_id = ${sellerId}`;
const standingOfMember = (
  sellerId: string,
  { member_id, roles }: Pick<SellerPrincipal, 'member_id' | 'roles'>,
) => statement(STANDING_ROW)`
  select ${STANDING_LIST},
         m.member_id is not null as session_live
    from v_sellers_standing s
    left join v_sellers_active_member m
      on m.seller_id = s.seller_id and m.member_id = ${member_id} and m.roles = ${roles}
   where s.seller_id = ${sellerId}`;

const BEGIN: Readonly<Record<TxMode, Statement<unknown> | null>> = {
  read: null,
  single: null,
  snapshot: command`begin isolation level repeatable read read only`,
  write: command`begin`,
};

type StandingRow = RowOf<typeof STANDING_ROW>;

interface Scope {
  /** Undefined for a scope of the system. */
  readonly sellerId: string | undefined;
  /** The statements after the one that opens the scope. */
  readonly others: readonly Statement<unknown>[];
}

const asError = (error: unknown): Error => error as Error;

class ScopedDb implements CursorDb {
  private readonly connect: Connect;
  private readonly mode: TxMode;
  private readonly scope: Scope;
  private readonly onScope: (results: readonly StatementResult[]) => void;
  private coming: Promise<Lease> | undefined;
  /** The lease, when the scope has one, so that a statement is sent without waiting for a promise. */
  private lease: Lease | undefined;
  private ended = false;
  private pipeline: Pipeline | undefined;
  private scoped = false;
  /** After a failure only a rollback to a savepoint is sent. */
  private failure: Error | undefined;
  /** Statements that go out with the next one. */
  private waiting: Statement<unknown>[] = [];
  private cursors = 0;
  private readonly reads = new ReadsTogether((statements) => this.sendAlone(statements));

  constructor(
    connect: Connect,
    mode: TxMode,
    scope: Scope,
    onScope: (results: readonly StatementResult[]) => void,
  ) {
    this.connect = connect;
    this.mode = mode;
    this.scope = scope;
    this.onScope = onScope;
  }

  async all<Row>(statement: Statement<Row>): Promise<Row[]> {
    return (await this.execute(statement)).rows as Row[];
  }

  async one<Row>(statement: Statement<Row>): Promise<Row | undefined> {
    return (await this.execute(statement)).rows[0] as Row | undefined;
  }

  async run(statement: Statement<unknown>): Promise<number> {
    return (await this.execute(statement)).rowCount;
  }

  later(statement: Statement<unknown>): void {
    if (BEGIN[this.mode] === null) throw new Error('only a transaction sends a statement later');
    if (this.ended) throw new Error('the transaction has ended');
    this.waiting.push(statement);
  }

  /** Begins a transaction of which all statements still wait. The earlier ones go out before the last one. */
  async begin(): Promise<void> {
    const last = this.scoped ? undefined : this.waiting.pop();
    if (last !== undefined) await this.run(last);
  }

  async *cursor<Row>(statement: Statement<Row>, batchSize: number): AsyncGenerator<Row[]> {
    if (BEGIN[this.mode] === null) throw new Error('a cursor needs a transaction');
    this.cursors += 1;
    const name = `c${this.cursors}`;
    // It is opened with the first fetch, and closed with the statement after the last.
    const { text, values, shape } = statement;
    this.later({ text: `declare ${name} no scroll cursor for ${text}`, values });
    const fetch = { text: `fetch forward ${batchSize} from ${name}`, values: [], ...(shape && { shape }) };
    for (;;) {
      const rows = await this.all<Row>(fetch);
      if (rows.length > 0) yield rows;
      if (rows.length < batchSize) break;
    }
    if (!this.ended) this.later(command`close ${raw(name)}`);
  }

  private async execute(statement: Statement<unknown>): Promise<StatementResult> {
    if (this.mode === 'read') return this.reads.ask(statement);
    const results =
      BEGIN[this.mode] === null ? await this.sendAlone([statement]) : await this.executeInside(statement);
    const last = results.at(-1);
    if (last === undefined) throw new Error('the database sent no result');
    return last;
  }

  /** Takes the connection of the first statement now. */
  async connectAhead(): Promise<void> {
    this.coming = this.connect();
    await this.coming;
  }

  /** The connection of one statement: first the one that was taken before, then a new one each time. */
  private leaseForOne(): Promise<Lease> {
    const ahead = this.coming;
    this.coming = undefined;
    return ahead ?? this.connect();
  }

  /** The first statements of a transaction, after those of its scope. */
  private opening(client: pg.PoolClient, statements: readonly Statement<unknown>[]): Statement<unknown>[] {
    return [scopeOn(client, this.scope.sellerId), ...this.scope.others, ...statements];
  }

  private async sendAlone(statements: readonly Statement<unknown>[]): Promise<StatementResult[]> {
    const { client, release } = await this.leaseForOne();
    let broken: Error | undefined;
    try {
      const results = await sendBatch(client, this.opening(client, statements));
      this.onScope(results);
      return results;
    } catch (error) {
      if (isOfSession(error)) broken = error as Error;
      throw error;
    } finally {
      release(broken);
    }
  }

  /** The connection of the transaction. After the end it belongs to another transaction. */
  private async transactionClient(): Promise<pg.PoolClient> {
    if (!this.ended)
      this.coming ??= this.connect().catch((error: Error) => {
        this.failure = error;
        throw error;
      });
    const lease = await this.coming;
    if (this.ended || lease === undefined) throw new Error('the transaction has ended');
    this.lease = lease;
    return lease.client;
  }

  private async executeInside(statement: Statement<unknown>): Promise<StatementResult[]> {
    if (statement === ROLL_BACK_TO_SAVEPOINT) this.waiting = [];
    const statements = [...this.waiting.splice(0), statement];
    const client =
      this.lease === undefined || this.ended ? await this.transactionClient() : this.lease.client;
    if (statement === ROLL_BACK_TO_SAVEPOINT) this.failure = undefined;
    // After a failed statement the server refuses all others, even a rollback that is sent together with a refused one.
    if (this.failure !== undefined) throw this.failure;
    try {
      return await this.sendInScope(client, statements);
    } catch (error) {
      this.failure ??= error as Error;
      throw error;
    }
  }

  /** Sends the first statements together with BEGIN and the scope, later ones alone. */
  private async sendInScope(
    client: pg.PoolClient,
    statements: readonly Statement<unknown>[],
  ): Promise<StatementResult[]> {
    if (this.scoped) return this.openedPipeline(client).send(statements, false);
    this.scoped = true;
    const begin = BEGIN[this.mode];
    const opening = [...(begin === null ? [] : [begin]), ...this.opening(client, statements)];
    const results = await this.openedPipeline(client).send(opening, false);
    this.onScope(results.slice(1));
    return results;
  }

  /**
   * A failed statement ends the pipeline but not the transaction, because a savepoint may continue in another
   * pipeline.
   */
  private openedPipeline(client: pg.PoolClient): Pipeline {
    if (this.pipeline?.open !== true) this.pipeline = openPipeline(client);
    return this.pipeline;
  }

  private async rollBack(client: pg.PoolClient): Promise<void> {
    const send = () => this.openedPipeline(client).send([ENDS.rollback], true);
    // If a statement before the rollback fails, the server skips the rollback too, so it is sent again.
    await send().catch(send);
  }

  private async commit(client: pg.PoolClient): Promise<void> {
    const results = await this.openedPipeline(client).send([...this.waiting.splice(0), ENDS.commit], true);
    if (results.at(-1)?.command !== 'COMMIT')
      throw new Error('the transaction had failed and was rolled back');
  }

  /** @param cause why the transaction is rolled back */
  async finish(how: keyof typeof ENDS, cause?: unknown): Promise<void> {
    this.ended = true;
    // A statement whose caller has gone may still be waiting for a connection.
    const lease = await this.coming?.catch(() => undefined);
    if (lease === undefined || !this.scoped) {
      lease?.release();
      if (how === 'commit' && this.failure !== undefined) throw this.failure;
      return;
    }
    let { failure } = this;
    if (how === 'commit' && failure === undefined)
      failure = await this.commit(lease.client).then(() => undefined, asError);
    let broken = [cause, failure].find(isOfSession) as Error | undefined;
    if (how === 'rollback' || failure !== undefined)
      broken = (await this.rollBack(lease.client).then(() => undefined, asError)) ?? broken;
    lease.release(broken);
    if (how === 'commit' && failure !== undefined) throw failure;
  }
}

async function inScope<T>(db: ScopedDb, fn: (db: CursorDb) => Promise<T>, prompt = false): Promise<T> {
  let value: T;
  try {
    if (prompt) await db.connectAhead();
    value = await fn(db);
    await db.begin();
  } catch (error) {
    await db.finish('rollback', error).catch(() => undefined);
    throw error;
  }
  await db.finish('commit');
  return value;
}

export type WithSeller = <T>(
  sellerId: string,
  mode: TxMode,
  fn: (db: CursorDb) => Promise<T>,
  options?: SellerScopeOptions,
) => Promise<T>;
export type WithSystem = <T>(
  reason: string,
  mode: TxMode,
  fn: (db: CursorDb) => Promise<T>,
  options?: ScopeOptions,
) => Promise<T>;

const UNKNOWN_SELLER: Standing = {
  status: 'closed',
  verified: false,
  api_access: false,
  plan: 'Free',
  account_flags: [],
  currency: 'AUD',
  hidden_from: null,
  hidden_to: null,
  agreement_version: null,
  agreement_due_at: null,
};

/** The statements that open a seller's scope, and the check of their first answer. */
function sellerScope(pool: SessionPool, sellerId: string, mode: TxMode, options: SellerScopeOptions) {
  const settings = ownSettings(pool.longWork, mode, options);
  const { member, sid = '' } = options;
  const asks = options.onStanding !== undefined;
  const standing = member === undefined ? standingOf(sellerId, sid) : standingOfMember(sellerId, member);
  const scope = {
    sellerId,
    others: asks ? [standing, ...settings] : settings,
  };
  let checked = false;
  const onScope = (results: readonly StatementResult[]): void => {
    if (checked || options.onStanding === undefined) return;
    const row = results[1]?.rows[0] as StandingRow | undefined;
    if (row === undefined) options.onStanding(UNKNOWN_SELLER, false);
    else options.onStanding(row, row.session_live);
    checked = true;
  };
  return { scope, onScope };
}

/** Makes handles of one seller. All their statements read and write only that seller's rows. */
export function createWithSeller(pool: SessionPool): WithSeller {
  const { ofSeller } = connectionsOf(pool);
  return (sellerId, mode, fn, options = {}) => {
    const { scope, onScope } = sellerScope(pool, sellerId, mode, options);
    const db = new ScopedDb(ofSeller(sellerId, mayWrite(mode)), mode, scope, onScope);
    return inScope(db, fn, options.prompt);
  };
}

export type SellerStream = <T>(
  sellerId: string,
  fn: (db: CursorDb) => AsyncGenerator<T>,
  options?: SellerScopeOptions,
) => AsyncGenerator<T>;

/** Longest time of an export, from its first row to its last. */
const STREAM_STATEMENT_TIMEOUT_MS = 60_000;

/** A stream that reads one seller's rows from one snapshot. The transaction ends when the stream ends or is left. */
export function createSellerStream(pool: SessionPool): SellerStream {
  const { ofSeller } = connectionsOf(pool);
  return async function* (sellerId, fn, options = {}) {
    const { scope, onScope } = sellerScope(pool, sellerId, 'snapshot', {
      statementTimeoutMs: STREAM_STATEMENT_TIMEOUT_MS,
      ...options,
    });
    const db = new ScopedDb(ofSeller(sellerId, false), 'snapshot', scope, onScope);
    let complete = false;
    try {
      yield* fn(db);
      complete = true;
    } finally {
      await db.finish(complete ? 'commit' : 'rollback').catch(() => undefined);
    }
  };
}

/**
 * Makes handles that see all sellers, for reasons of a closed list only.
 *
 * @param reasons the modules' reasons, in addition to {@link SYSTEM_REASONS}
 */
export function createWithSystem(pool: SessionPool, reasons: readonly string[] = []): WithSystem {
  const { ofSystem } = connectionsOf(pool);
  const known = new Set([...SYSTEM_REASONS, ...reasons]);
  return (reason, mode, fn, options = {}) => {
    if (!known.has(reason))
      throw new Error(`"${reason}" is not a declared reason to work outside a seller's scope`);
    const scope = { sellerId: undefined, others: ownSettings(pool.longWork, mode, options) };
    return inScope(new ScopedDb(ofSystem(mayWrite(mode)), mode, scope, () => undefined), fn);
  };
}
