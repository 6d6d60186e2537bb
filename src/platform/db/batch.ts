/**
 * Several statements sent to PostgreSQL with ONE Sync: one round trip, one implicit transaction. This is how a
 * request's scope, its seller's standing and its query cost no more than an unscoped query (measured:
 * docs/performance.md). It implements the `Submittable` contract of `pg`.
 */
import { createHash } from 'node:crypto';
import type pg from 'pg';
import Result from 'pg/lib/result.js';
import utils from 'pg/lib/utils.js';
import type { Statement } from '../../kernel/context.ts';
import { typeParsers } from './types.ts';

interface Connection {
  parse(message: { text: string; name: string }): void;
  bind(message: {
    portal: string;
    statement: string;
    values: unknown[];
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
  readonly known: Set<string>;
  /** Parsed in a batch that failed: nobody knows whether before or after the failing message. */
  readonly doubtful: Set<string>;
}
const preparedBy = new WeakMap<object, Prepared>();

function preparedOf(connection: object): Prepared {
  let prepared = preparedBy.get(connection);
  if (prepared === undefined) {
    prepared = { known: new Set(), doubtful: new Set() };
    preparedBy.set(connection, prepared);
  }
  return prepared;
}

class Batch {
  private readonly statements: readonly Statement<unknown>[];
  private readonly done: (error: Error | null, results: StatementResult[]) => void;
  private readonly results: Result[] = [];
  private current: Result | undefined;
  private parsed: string[] = [];
  private prepared: Prepared = { known: new Set(), doubtful: new Set() };
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
      known.add(name);
      doubtful.delete(name);
      this.parsed.push(name);
    }
    connection.bind({
      portal: '',
      statement: name,
      values: [...statement.values],
      valueMapper: utils.prepareValue,
    });
    connection.describe({ type: 'P', name: '' });
    connection.execute({ portal: '', rows: 0 });
  }

  private result(): Result {
    this.current ??= new Result(undefined, typeParsers);
    return this.current;
  }

  handleRowDescription(message: { fields: unknown }): void {
    this.result().addFields(message.fields);
  }

  handleDataRow(message: { fields: unknown }): void {
    if (this.problem !== null) return;
    try {
      const result = this.result();
      result.addRow(result.parseRow(message.fields));
    } catch (error) {
      this.problem = error as Error;
    }
  }

  handleCommandComplete(message: unknown): void {
    const result = this.result();
    result.addCommandComplete(message);
    this.results.push(result);
    this.current = undefined;
  }

  handleEmptyQuery(): void {
    this.results.push(this.result());
    this.current = undefined;
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
    this.done(
      null,
      this.results.map((result) => ({
        rows: result.rows,
        rowCount: result.rowCount ?? 0,
        command: result.command ?? '',
      })),
    );
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
