/** The request that the handler gets. */
import type { FastifyRequest } from 'fastify';
import type { RequestKey } from '../../kernel/route.ts';
import type { IdempotencyKey } from '../keys/idempotency-key.ts';
import type { Deadline } from './deadline.ts';
import { requestBytes } from './request-bytes.ts';
import type { Visit } from './traffic.ts';

/** The validated parts of a request. */
export interface Validated {
  readonly params: unknown;
  readonly query: unknown;
  readonly body: unknown;
  /** Undefined if no answer is stored. */
  readonly key: IdempotencyKey | undefined;
}

/** It is a class, because an object literal would define its getters again for every request. */
export class RequestView implements Omit<Validated, 'key'> {
  readonly params: unknown;
  readonly query: unknown;
  readonly body: unknown;
  readonly headers: FastifyRequest['headers'];
  readonly address: string;
  readonly key: RequestKey;
  private readonly request: FastifyRequest;
  private readonly deadline: Deadline;

  constructor(request: FastifyRequest, deadline: Deadline, input: Validated, key: RequestKey) {
    this.params = input.params;
    this.query = input.query;
    this.body = input.body;
    this.headers = request.headers;
    this.address = request.ip;
    this.key = key;
    this.request = request;
    this.deadline = deadline;
  }

  get rawHeaders(): readonly string[] {
    return this.request.raw.rawHeaders;
  }

  get path(): string {
    return this.request.url.split('?', 1)[0] ?? '';
  }

  get search(): string {
    const { url } = this.request;
    const at = url.indexOf('?');
    return at === -1 ? '' : url.slice(at + 1);
  }

  get stream(): AsyncIterable<Buffer> {
    return requestBytes(this.request.raw);
  }

  get signal(): AbortSignal {
    return this.deadline.signal;
  }

  get park(): Visit['park'] {
    const { visit } = this.request;
    return (wait) => visit.park(wait);
  }
}
