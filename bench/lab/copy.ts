/** `COPY … FROM STDIN` and `COPY … TO STDOUT` over a connection of `pg`, for the limits. */
import type pg from 'pg';

interface Connection {
  query(text: string): void;
  sendCopyFromChunk(chunk: Buffer): void;
  endCopyFrom(): void;
}

/** One COPY in either direction, in the form that `pg` takes for a query. */
class Copy {
  private failure: Error | undefined;
  private readonly text: string;
  private readonly data: readonly Buffer[];
  private readonly take: (chunk: Buffer) => void;
  private readonly done: (error: Error | undefined) => void;

  constructor(
    text: string,
    data: readonly Buffer[],
    take: (chunk: Buffer) => void,
    done: (error: Error | undefined) => void,
  ) {
    this.text = text;
    this.data = data;
    this.take = take;
    this.done = done;
  }

  submit(connection: Connection): null {
    connection.query(this.text);
    return null;
  }

  handleCopyInResponse(connection: Connection): void {
    for (const chunk of this.data) connection.sendCopyFromChunk(chunk);
    connection.endCopyFrom();
  }

  handleCopyData({ chunk }: { chunk: Buffer }): void {
    this.take(chunk);
  }

  handleCommandComplete(): void {
    // The copy has ended when the server is ready again.
  }

  handleError(error: Error): void {
    this.failure = error;
    this.done(error);
  }

  handleReadyForQuery(): void {
    if (this.failure === undefined) this.done(undefined);
  }
}

/** @param take - gets one row at a time, as a view of a buffer that is reused */
function run(
  client: pg.Client,
  text: string,
  data: readonly Buffer[],
  take: (chunk: Buffer) => void,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const copy = new Copy(text, data, take, (error) => (error === undefined ? resolve() : reject(error)));
    // The type package knows only its own query class as submittable.
    client.query(copy as never);
  });
}

/** The server sends one row per message; rows are joined here, so that many small writes do not burden the limit. */
const CHUNK_BYTES = 64 * 1024;

/** Joins small pieces into chunks of about 64 kB. */
function inChunks(pieces: readonly Buffer[]): Buffer[] {
  const whole = Buffer.concat(pieces);
  return Array.from({ length: Math.ceil(whole.length / CHUNK_BYTES) }, (_, index) =>
    whole.subarray(index * CHUNK_BYTES, (index + 1) * CHUNK_BYTES),
  );
}

export async function copyOut(client: pg.Client, text: string): Promise<Buffer[]> {
  const received: Buffer[] = [];
  await run(client, text, [], (chunk) => received.push(Buffer.from(chunk)));
  return inChunks(received);
}

/** Receives and drops everything. @returns the number of rows */
export async function copyAway(client: pg.Client, text: string): Promise<number> {
  let rows = 0;
  await run(client, text, [], () => {
    rows += 1;
  });
  return rows;
}

export const copyIn = (client: pg.Client, text: string, data: readonly Buffer[]): Promise<void> =>
  run(client, text, data, () => undefined);
