/**
 * Sends several statements to PostgreSQL with ONE Sync: one round trip, one implicit transaction. So a request's
 * scope, its seller's standing and its query cost no more than an unscoped query. The statements of a longer
 * transaction are pipelined: PostgreSQL works on the next one while this process reads the answer of the one before
 * (docs/adr/0001-scoped-handles-execute-with-one-sync.md). Implements the `Submittable` contract of `pg`.
 */
import { createHash } from 'node:crypto';
import type pg from 'pg';
import utils from 'pg/lib/utils.js';
import { serialize } from 'pg-protocol';
import type { Statement } from '../../kernel/context.ts';
import { compileRow, type Field, type ReadRow } from './compile-row.ts';
import { shapeProblem } from './statement.ts';

interface Connection {
  readonly stream: {
    readonly writable: boolean;
    write(bytes: Buffer): unknown;
    cork(): void;
    uncork(): void;
  };
}

export interface StatementResult {
  readonly rows: unknown[];
  readonly rowCount: number;
  readonly command: string;
}

const names = new Map<string, string>();

/** Name of the prepared statement of a text. Each connection parses a text once. */
function statementName(text: string): string {
  let name = names.get(text);
  if (name === undefined) {
    name = `s${createHash('sha256').update(text).digest('base64url').slice(0, 20)}`;
    names.set(text, name);
  }
  return name;
}

interface Prepared {
  /** Each statement is parsed and described anew, without a name. */
  readonly unnamed?: true;
  /** Prepared statements by name, with the reader of their rows once the server has described them. */
  readonly known: Map<string, ReadRow | undefined>;
  /** Parsed in a batch that failed. They may or may not exist on the server. */
  readonly doubtful: Set<string>;
}
const preparedBy = new WeakMap<object, Prepared>();

function preparedOf(connection: object): Prepared {
  let prepared = preparedBy.get(connection);
  if (prepared === undefined) {
    prepared = { known: new Map(), doubtful: new Set() };
    preparedBy.set(connection, prepared);
  }
  return prepared;
}

/** Makes a new connection parse each statement anew, for a pooler that mixes up the names of its clients. */
export function sendUnnamed(client: pg.ClientBase): void {
  const { connection } = client as pg.ClientBase & { readonly connection: object };
  preparedBy.set(connection, { unnamed: true, known: new Map(), doubtful: new Set() });
}

let checksShapes = false;
/** Whether PostgreSQL's description of the rows is compared with the declared shape. */
export function checkRowShapes(on: boolean): void {
  checksShapes = on;
}
export const checksRowShapes = (): boolean => checksShapes;

const DESCRIBE_PORTAL = serialize.describe({ type: 'P', name: '' });
const EXECUTE_ALL = serialize.execute({ portal: '', rows: 0 });
const SYNC = serialize.sync();
const FLUSH = serialize.flush();

/** The reader for statements without rows. */
const NO_ROWS = compileRow([]);

/** Statements that are sent together, and their results so far. */
interface Call {
  readonly statements: readonly Statement<unknown>[];
  readonly results: StatementResult[];
  /** Statements that were parsed for this call. */
  readonly parsed: string[];
  problem: Error | null;
  readonly resolve: (results: StatementResult[]) => void;
  readonly reject: (error: Error) => void;
}

/** A call with a value of this size is sent immediately. A smaller call waits for the next one. */
const LARGE_BYTES = 32 * 1024;

const isLarge = ({ statements }: Call): boolean =>
  statements.some(({ values }) =>
    values.some((value) => Buffer.isBuffer(value) && value.length >= LARGE_BYTES),
  );

/**
 * The statements of one transaction, pipelined. Each call ends with a Flush: PostgreSQL works on the next call while
 * this process reads the answer of the one before. Only the last call, or a failure, sends a Sync.
 */
export class Pipeline {
  private readonly calls: Call[] = [];
  /** Calls that go out together in the next microtask. */
  private unsent: Call[] = [];
  private connection: Connection | undefined;
  private rows: unknown[] = [];
  private read: ReadRow | undefined;
  private prepared: Prepared = { known: new Map(), doubtful: new Set() };
  private ended = false;
  /** Whether a Sync has been sent. */
  private synced = false;

  /** False after the last call and after a failure; further statements need another pipeline. */
  get open(): boolean {
    return !this.ended;
  }

  /**
   * Sends statements and returns their results in the same order.
   *
   * @param last ends the pipeline: the call is answered when the server is ready again
   */
  send(statements: readonly Statement<unknown>[], last: boolean): Promise<StatementResult[]> {
    return new Promise((resolve, reject) => {
      if (this.ended) throw new Error('the pipeline has ended');
      const call: Call = { statements, results: [], parsed: [], problem: null, resolve, reject };
      this.calls.push(call);
      this.ended = last;
      if (this.connection === undefined) return;
      this.unsent.push(call);
      // PostgreSQL works on a large call while the caller builds the next one.
      if (isLarge(call)) this.flush();
      else if (this.unsent.length === 1) queueMicrotask(() => this.flush());
    });
  }

  /** Called by `pg` when the connection is free for it. */
  submit(connection: Connection): Error | null {
    this.connection = connection;
    this.prepared = preparedOf(connection);
    // On a free connection `submit` runs before the first `send`; then there is nothing to write yet.
    if (this.calls.length > 0) this.write(connection, this.calls);
    return null;
  }

  private flush(): void {
    const calls = this.unsent;
    this.unsent = [];
    if (calls.length > 0 && this.connection !== undefined) this.write(this.connection, calls);
  }

  /** One write for all messages: a socket write is most of the cost of a small query. Large ones are not copied. */
  private write(connection: Connection, calls: readonly Call[]): void {
    const messages: Buffer[] = [];
    let problem: Error | null = null;
    for (const call of calls) {
      const before = messages.length;
      try {
        if (problem === null) for (const statement of call.statements) this.put(messages, call, statement);
      } catch (error) {
        // A value cannot be serialised: end the round trip, and fail this call and the remaining calls with its error.
        problem = error as Error;
        messages.length = before;
        this.ended = true;
      }
      call.problem = problem;
    }
    this.synced = this.ended;
    messages.push(this.ended ? SYNC : FLUSH);
    const { stream } = connection;
    if (!stream.writable) return;
    if (!calls.some(isLarge)) return void stream.write(Buffer.concat(messages));
    stream.cork();
    for (const message of messages) stream.write(message);
    stream.uncork();
  }

  private put(messages: Buffer[], call: Call, statement: Statement<unknown>): void {
    const key = statementName(statement.text);
    const { unnamed = false, known, doubtful } = this.prepared;
    const name = unnamed ? '' : key;
    if (unnamed) {
      messages.push(serialize.parse({ text: statement.text, name }));
      known.delete(key);
    } else if (!known.has(name)) {
      if (doubtful.has(name)) messages.push(serialize.close({ type: 'S', name }));
      messages.push(serialize.parse({ text: statement.text, name }));
      known.set(name, undefined);
      doubtful.delete(name);
      call.parsed.push(name);
    }
    const { values } = statement;
    messages.push(serialize.bind({ statement: name, values: [...values], valueMapper: utils.prepareValue }));
    // The row is described only once. If its columns change later, the server refuses the prepared statement.
    if (known.get(key) === undefined) messages.push(DESCRIBE_PORTAL);
    messages.push(EXECUTE_ALL);
  }

  handleRowDescription({ fields }: { fields: readonly Field[] }): void {
    this.read = compileRow(fields);
    this.remember(this.read);
    const [call] = this.calls;
    const answered = this.answered();
    const problem = checksShapes && answered !== undefined ? shapeProblem(answered, fields) : undefined;
    if (call !== undefined && problem !== undefined) call.problem ??= new Error(problem);
  }

  /** The statement whose answer is being read. */
  private answered(): Statement<unknown> | undefined {
    const [call] = this.calls;
    return call?.statements[call.results.length];
  }

  private text(): string {
    return this.answered()?.text ?? '';
  }

  private remember(read: ReadRow): void {
    const text = this.text();
    // The columns of a FETCH depend on the cursor, so its reader cannot be kept.
    if (!/^fetch\b/i.test(text)) this.prepared.known.set(statementName(text), read);
  }

  handleDataRow({ fields }: { fields: readonly (string | null)[] }): void {
    const call = this.calls[0];
    if (call === undefined || call.problem !== null) return;
    try {
      this.read ??= this.prepared.known.get(statementName(this.text()));
      this.rows.push(this.read?.(fields));
    } catch (error) {
      call.problem = error as Error;
    }
  }

  /** `text` is the command and usually its number of rows: `INSERT 0 5`, `SELECT 1`. */
  handleCommandComplete({ text }: { text: string }): void {
    const end = text.indexOf(' ');
    if (end === -1) this.complete(text, 0);
    else this.complete(text.slice(0, end), Number(text.slice(text.lastIndexOf(' ') + 1)) || 0);
  }

  handleEmptyQuery(): void {
    this.complete('', 0);
  }

  private complete(command: string, rowCount: number): void {
    const call = this.calls[0];
    if (call === undefined) return;
    if (this.prepared.known.get(statementName(this.text())) === undefined) this.remember(NO_ROWS);
    call.results.push({ rows: this.rows, rowCount, command });
    this.rows = [];
    this.read = undefined;
    // The last call waits for ReadyForQuery: a commit can fail until then.
    if (call.results.length < call.statements.length || (this.ended && this.calls.length === 1)) return;
    this.calls.shift();
    this.settle(call);
  }

  private settle(call: Call): void {
    if (call.problem === null) call.resolve(call.results);
    else this.refuse(call, call.problem);
  }

  private refuse(call: Call, error: Error): void {
    for (const name of call.parsed) {
      this.prepared.known.delete(name);
      this.prepared.doubtful.add(name);
    }
    call.reject(error);
  }

  handlePortalSuspended(): void {
    // This cannot happen, because every Execute reads all rows.
  }

  handleError(error: Error): void {
    const { synced, connection } = this;
    this.ended = true;
    this.synced = true;
    this.unsent = [];
    // The server skips all further messages until it gets a Sync.
    if (!synced && connection?.stream.writable === true) connection.stream.write(SYNC);
    for (const call of this.calls.splice(0)) this.refuse(call, call.problem ?? error);
  }

  handleReadyForQuery(): void {
    for (const call of this.calls.splice(0)) this.settle(call);
  }
}

/** Opens a pipeline. It has the connection for itself until it ends. */
export function openPipeline(client: pg.ClientBase): Pipeline {
  const pipeline = new Pipeline();
  // The type package accepts only its own query class here.
  client.query(pipeline as never);
  return pipeline;
}

/** Sends statements in one round trip and returns their results in the same order. */
export function sendBatch(
  client: pg.ClientBase,
  statements: readonly Statement<unknown>[],
): Promise<StatementResult[]> {
  const pipeline = new Pipeline();
  const results = pipeline.send(statements, true);
  client.query(pipeline as never);
  return results;
}
