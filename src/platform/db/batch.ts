/**
 * Several statements sent to PostgreSQL with ONE Sync: one round trip, one implicit transaction. This is how a
 * request's scope, its seller's standing and its query cost no more than an unscoped query; and the statements of
 * a longer transaction follow each other without waiting, so that PostgreSQL and this process work at the same
 * time (measured: docs/performance.md). It implements the `Submittable` contract of `pg`.
 */
import { createHash } from 'node:crypto';
import type pg from 'pg';
import utils from 'pg/lib/utils.js';
import { serialize } from 'pg-protocol';
import type { Statement } from '../../kernel/context.ts';
import { compileRow, type Field, type ReadRow } from './compile-row.ts';
import { shapeProblem } from './statement.ts';

interface Connection {
  readonly stream: { readonly writable: boolean; write(bytes: Buffer): unknown };
}

export interface StatementResult {
  readonly rows: unknown[];
  readonly rowCount: number;
  readonly command: string;
}

const names = new Map<string, string>();

/** Name of the prepared statement of a text: the same text is parsed once per connection. */
function statementName(text: string): string {
  let name = names.get(text);
  if (name === undefined) {
    name = `s${createHash('sha256').update(text).digest('base64url').slice(0, 20)}`;
    names.set(text, name);
  }
  return name;
}

interface Prepared {
  /** Each with the reader of its rows, once it was described; a statement keeps it as long as it lives. */
  readonly known: Map<string, ReadRow | undefined>;
  /** Parsed in a batch that failed: nobody knows whether before or after the failing message. */
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

let checksShapes = false;
/** Whether PostgreSQL's description of the rows is held against the shape that a statement declares. */
export function checkRowShapes(on: boolean): void {
  checksShapes = on;
}

const DESCRIBE_PORTAL = serialize.describe({ type: 'P', name: '' });
const EXECUTE_ALL = serialize.execute({ portal: '', rows: 0 });
const SYNC = serialize.sync();
const FLUSH = serialize.flush();

/** Of a statement that answers none. */
const NO_ROWS = compileRow([]);

/** Statements that were sent together, and what has come back for them. */
interface Call {
  readonly statements: readonly Statement<unknown>[];
  readonly results: StatementResult[];
  /** Statements that were parsed for this call. */
  readonly parsed: string[];
  problem: Error | null;
  readonly resolve: (results: StatementResult[]) => void;
  readonly reject: (error: Error) => void;
}

/** From so many bytes on one write costs less than waiting with it. */
const LARGE_BYTES = 32 * 1024;

const isLarge = ({ statements }: Call): boolean =>
  statements.some(({ values }) =>
    values.some((value) => Buffer.isBuffer(value) && value.length >= LARGE_BYTES),
  );

/**
 * What one transaction says to PostgreSQL. Each call is flushed, not synchronised: PostgreSQL works on the next
 * one while this process is still busy with the answer of the one before. The end, or a failure, synchronises.
 */
export class Conversation {
  private readonly calls: Call[] = [];
  /** Of them those that go out together as soon as the code that runs now has said all it has to say. */
  private unsent: Call[] = [];
  private connection: Connection | undefined;
  private rows: unknown[] = [];
  private read: ReadRow | undefined;
  private prepared: Prepared = { known: new Map(), doubtful: new Set() };
  private ended = false;
  /** Whether the server has been told of the end. */
  private synced = false;

  /** False after its end and after a failure: what comes then needs another one. */
  get open(): boolean {
    return !this.ended;
  }

  /**
   * Sends statements; the results stand in the same order.
   *
   * @param last ends the conversation: answered once the server has finished with it
   */
  send(statements: readonly Statement<unknown>[], last: boolean): Promise<StatementResult[]> {
    return new Promise((resolve, reject) => {
      if (this.ended) throw new Error('the conversation with the database has ended');
      const call: Call = { statements, results: [], parsed: [], problem: null, resolve, reject };
      this.calls.push(call);
      this.ended = last;
      if (this.connection === undefined) return;
      this.unsent.push(call);
      // PostgreSQL works on a large one while the next is put together.
      if (isLarge(call)) this.flush();
      else if (this.unsent.length === 1) queueMicrotask(() => this.flush());
    });
  }

  /** Called by `pg` when the connection is free for it. */
  submit(connection: Connection): Error | null {
    this.connection = connection;
    this.prepared = preparedOf(connection);
    // Of a connection that is free at once nothing is asked yet: what is asked next goes out together.
    if (this.calls.length > 0) this.write(connection, this.calls);
    return null;
  }

  private flush(): void {
    const calls = this.unsent;
    this.unsent = [];
    if (calls.length > 0 && this.connection !== undefined) this.write(this.connection, calls);
  }

  /** One write for all of it: most of what a small query costs this process is the writing of sockets. */
  private write(connection: Connection, calls: readonly Call[]): void {
    const messages: Buffer[] = [];
    let problem: Error | null = null;
    for (const call of calls) {
      const before = messages.length;
      try {
        if (problem === null) for (const statement of call.statements) this.put(messages, call, statement);
      } catch (error) {
        // A value that cannot be sent: close the round trip, then report it as the error of this call and the rest.
        problem = error as Error;
        messages.length = before;
        this.ended = true;
      }
      call.problem = problem;
    }
    this.synced = this.ended;
    messages.push(this.ended ? SYNC : FLUSH);
    if (connection.stream.writable) connection.stream.write(Buffer.concat(messages));
  }

  private put(messages: Buffer[], call: Call, statement: Statement<unknown>): void {
    const name = statementName(statement.text);
    const { known, doubtful } = this.prepared;
    if (!known.has(name)) {
      if (doubtful.has(name)) messages.push(serialize.close({ type: 'S', name }));
      messages.push(serialize.parse({ text: statement.text, name }));
      known.set(name, undefined);
      doubtful.delete(name);
      call.parsed.push(name);
    }
    const { values } = statement;
    messages.push(serialize.bind({ statement: name, values: [...values], valueMapper: utils.prepareValue }));
    // Described once: the server refuses a statement whose rows have come to look different.
    if (known.get(name) === undefined) messages.push(DESCRIBE_PORTAL);
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

  /** The statement that is being answered. */
  private answered(): Statement<unknown> | undefined {
    const [call] = this.calls;
    return call?.statements[call.results.length];
  }

  private text(): string {
    return this.answered()?.text ?? '';
  }

  private remember(read: ReadRow): void {
    const text = this.text();
    // One FETCH has the columns of one cursor, the next those of another.
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

  /** `text`: the command and, for most commands, how many rows it touched: `INSERT 0 5`, `SELECT 1`. */
  handleCommandComplete({ text }: { text: string }): void {
    this.complete(text.slice(0, text.search(/ |$/)), Number(/\d+$/.exec(text)?.[0] ?? 0));
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
    // The last one waits for the server's word that it is ready: a commit can fail until then.
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
    // Never asked for: every execute reads all rows.
  }

  handleError(error: Error): void {
    const { synced, connection } = this;
    this.ended = true;
    this.synced = true;
    this.unsent = [];
    // The server passes over whatever was sent until it is told that we know.
    if (!synced && connection?.stream.writable === true) connection.stream.write(SYNC);
    for (const call of this.calls.splice(0)) this.refuse(call, call.problem ?? error);
  }

  handleReadyForQuery(): void {
    for (const call of this.calls.splice(0)) this.settle(call);
  }
}

/** Begins a conversation on a connection; it has the connection until it ends. */
export function converse(client: pg.ClientBase): Conversation {
  const conversation = new Conversation();
  // The type package knows only its own query class as submittable.
  client.query(conversation as never);
  return conversation;
}

/** Sends statements in one round trip; the results stand in the same order. */
export function sendBatch(
  client: pg.ClientBase,
  statements: readonly Statement<unknown>[],
): Promise<StatementResult[]> {
  const conversation = new Conversation();
  const results = conversation.send(statements, true);
  client.query(conversation as never);
  return results;
}
