/** A receiver of webhooks: a real HTTP server that records requests and answers as the test sets. */
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { atEnd } from './at-end.ts';

export interface Received {
  /** The `webhook-id`. */
  readonly id: string;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  readonly event: {
    readonly id: string;
    readonly type: string;
    readonly sequence: number;
    readonly object_version: number;
    readonly data: { readonly object: Record<string, unknown>; readonly previous?: unknown };
    readonly test: boolean;
    readonly created_at: string;
    readonly seller_id: string;
  };
  /** Milliseconds of `performance.now()`. */
  readonly at: number;
}

export type Answer = (response: ServerResponse, received: Received) => unknown;

export interface Receiver {
  readonly url: string;
  readonly received: Received[];
  /** Requests in flight, and their maximum so far. */
  readonly open: { now: number; most: number };
  /** Sets the answer of the next requests. */
  answer: Answer;
  close(): Promise<void>;
}

/** Answers with a status and headers. */
export const status =
  (code: number, headers: Record<string, string> = {}): Answer =>
  (response) =>
    response.writeHead(code, headers).end(code >= 400 ? `refused with ${code}` : '');

/** Answers 204 after so many milliseconds. */
export const slowly =
  (ms: number): Answer =>
  (response) =>
    setTimeout(() => response.writeHead(204).end(), ms);

/** Starts one; it ends with the last test of the calling file. */
export async function startReceiver(first: Answer = status(204)): Promise<Receiver> {
  const received: Received[] = [];
  const open = { now: 0, most: 0 };
  const server = createServer((request, response) => {
    open.now += 1;
    open.most = Math.max(open.most, open.now);
    response.once('close', () => {
      open.now -= 1;
    });
    let text = '';
    request.setEncoding('utf8');
    request.on('data', (chunk: string) => {
      text += chunk;
    });
    request.on('end', () => {
      const { headers } = request;
      const one = { id: String(headers['webhook-id']), headers, text, at: performance.now() };
      const full: Received = { ...one, event: JSON.parse(text) as Received['event'] };
      received.push(full);
      receiver.answer(response, full);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const receiver: Receiver = {
    url: `http://127.0.0.1:${port}/hook`,
    received,
    open,
    answer: first,
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
  atEnd(() => receiver.close());
  return receiver;
}
