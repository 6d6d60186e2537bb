type FeedFileErrorCode = 'feed_too_large' | 'gzip_invalid' | 'json_invalid';

/** The file as a whole cannot be read; nothing of it may be applied. */
export class FeedFileError extends Error {
  override readonly name = 'FeedFileError';
  readonly code: FeedFileErrorCode;
  /** Physical line from 1, where the reader knows one. */
  readonly line: number | undefined;

  constructor(code: FeedFileErrorCode, message: string, options: { line?: number; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? {} : { cause: options.cause });
    this.code = code;
    this.line = options.line;
  }
}
