/**
 * Several statements sent to PostgreSQL with ONE Sync: one round trip, one implicit transaction. This is how a
 * request's scope, its seller's standing and its query cost no more than an unscoped query (measured:
 * docs/performance.md). It implements the `Submittable` contract of `pg`.
 */
import { createHash } from 'node:crypto';
import type pg from 'pg';
import utils from 'pg/lib/utils.js';
import type { Statement } from '../../kernel/context.ts';
import { compileRow, type Field, type ReadRow } from './compile-row.ts';

interface Connection {
  parse(message: { text: string; name: string }): void;
  bind(message: {
    portal: string;
    statement: string;
    values: readonly unknown[];
    valueMapper: (value: unknown) => unknown;
  }): void;
  describe(message: { type: 'P'; name: string }): void;
  execute(message: { portal: string; rows: number }): void;
  close(message: { type: 'S'; name: string }): void;
  sync(): void;
  readonly stream: { cork(): void; uncork(): void };
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

const DESCRIBE_PORTAL = { type: 'P', name: '' } as const;
const EXECUTE_ALL = { portal: '', rows: 0 } as const;

/** Of a statement that answers none. */
const NO_ROWS = compileRow([]);

class Batch {
  private readonly statements: readonly Statement<unknown>[];
  private readonly done: (error: Error | null, results: StatementResult[]) => void;
  private readonly names: string[] = [];
  private readonly results: StatementResult[] = [];
  private rows: unknown[] = [];
  private read: ReadRow | undefined;
  private parsed: string[] = [];
  private prepared: Prepared = { known: new Map(), doubtful: new Set() };
  private problem: Error | null = null;

  constructor(
    statements: readonly Statement<unknown>[],
    done: (error: Error | null, results: StatementResult[]) => void,
  ) {
    this.statements = statements;
    this.done = done;
  }

  submit(connection: Connection): Error | null {
    this.prepared = preparedOf(connection);
    connection.stream.cork();
    try {
      for (const statement of this.statements) this.send(connection, statement);
      connection.sync();
    } catch (error) {
      // A value that cannot be sent: close the round trip, then report it as the batch's error.
      this.problem = error as Error;
      connection.sync();
    } finally {
      connection.stream.uncork();
    }
    return null;
  }

  private send(connection: Connection, statement: Statement<unknown>): void {
    const name = statementName(statement.text);
    const { known, doubtful } = this.prepared;
    if (!known.has(name)) {
      if (doubtful.has(name)) connection.close({ type: 'S', name });
      connection.parse({ text: statement.text, name });
      known.set(name, undefined);
      doubtful.delete(name);
      this.parsed.push(name);
    }
    this.names.push(name);
    connection.bind({
      portal: '',
      statement: name,
      values: statement.values,
      valueMapper: utils.prepareValue,
    });
    // Described once: the server refuses a statement whose rows have come to look different.
    if (known.get(name) === undefined) connection.describe(DESCRIBE_PORTAL);
    connection.execute(EXECUTE_ALL);
  }

  handleRowDescription({ fields }: { fields: readonly Field[] }): void {
    this.read = compileRow(fields);
    this.remember(this.read);
  }

  /** The reader of the statement that is being answered. */
  private known(): ReadRow | undefined {
    return this.prepared.known.get(this.names[this.results.length] ?? '');
  }

  private remember(read: ReadRow): void {
    const index = this.results.length;
    // One FETCH has the columns of one cursor, the next those of another.
    if (/^fetch\b/i.test(this.statements[index]?.text ?? '')) return;
    this.prepared.known.set(this.names[index] ?? '', read);
  }

  handleDataRow({ fields }: { fields: readonly (string | null)[] }): void {
    if (this.problem !== null) return;
    try {
      this.read ??= this.known();
      this.rows.push(this.read?.(fields));
    } catch (error) {
      this.problem = error as Error;
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
    if (this.known() === undefined) this.remember(NO_ROWS);
    this.results.push({ rows: this.rows, rowCount, command });
    this.rows = [];
    this.read = undefined;
  }

  handlePortalSuspended(): void {
    // Never asked for: every execute reads all rows.
  }

  handleError(error: Error): void {
    for (const name of this.parsed) {
      this.prepared.known.delete(name);
      this.prepared.doubtful.add(name);
    }
    this.done(error, []);
  }

  handleReadyForQuery(): void {
    if (this.problem !== null) {
      this.handleError(this.problem);
      return;
    }
    this.done(null, this.results);
  }
}

/** Sends statements in one round trip; the results stand in the same order. */
export function sendBatch(
  client: pg.ClientBase,
  statements: readonly Statement<unknown>[],
): Promise<StatementResult[]> {
  return new Promise((resolve, reject) => {
    // The type package knows only its own query class as submittable.
    client.query(
      new Batch(statements, (error, results) => (error === null ? resolve(results) : reject(error))) as never,
    );
  });
}
