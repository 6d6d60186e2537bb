/** The log of one request. Every line has the request's id. */
import type { FastifyRequest } from 'fastify';
import type { Logger } from '../../kernel/context.ts';

/** The child logger. It is made for the first line, because most requests log nothing. */
export class RequestLog implements Logger {
  private readonly request: FastifyRequest;
  private made: Logger | undefined;

  constructor(request: FastifyRequest) {
    this.request = request;
  }

  debug(fields: object, message: string): void {
    this.log.debug(fields, message);
  }

  info(fields: object, message: string): void {
    this.log.info(fields, message);
  }

  warn(fields: object, message: string): void {
    this.log.warn(fields, message);
  }

  error(fields: object, message: string): void {
    this.log.error(fields, message);
  }

  private get log(): Logger {
    this.made ??= this.request.log.child({ request_id: this.request.id });
    return this.made;
  }
}
