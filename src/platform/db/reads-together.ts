import type { Statement } from '../../kernel/context.ts';
import type { StatementResult } from './batch.ts';

/** A statement, and who waits for its result. */
interface Asked {
  readonly statement: Statement<unknown>;
  readonly resolve: (result: StatementResult) => void;
  readonly reject: (error: Error) => void;
}

/**
 * Sends the reads that one turn of the event loop asks for together, so that they share a connection, a scope and a
 * round trip. If one fails, all fail.
 */
export class ReadsTogether {
  private readonly send: (statements: readonly Statement<unknown>[]) => Promise<StatementResult[]>;
  private asked: Asked[] = [];

  /** @param send returns the results of the statements last */
  constructor(send: (statements: readonly Statement<unknown>[]) => Promise<StatementResult[]>) {
    this.send = send;
  }

  ask(statement: Statement<unknown>): Promise<StatementResult> {
    return new Promise((resolve, reject) => {
      this.asked.push({ statement, resolve, reject });
      if (this.asked.length === 1) queueMicrotask(() => this.flush());
    });
  }

  private flush(): void {
    const { asked } = this;
    this.asked = [];
    const failAll = (error: Error): void => {
      for (const { reject } of asked) reject(error);
    };
    this.send(asked.map(({ statement }) => statement)).then((results) => {
      const found = results.slice(-asked.length);
      if (found.length < asked.length) failAll(new Error('the database sent no result'));
      else for (const [index, result] of found.entries()) asked[index]?.resolve(result);
    }, failAll);
  }
}
