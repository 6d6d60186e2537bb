import type { HeaderDoc } from '../../../kernel/route.ts';

export const CONTENT_ENCODING: HeaderDoc = {
  name: 'Content-Encoding',
  description: '`gzip`, or absent; limits count the inflated bytes',
  example: 'gzip',
};

/** Headers of the routes that start a run from a file. */
export const UPLOAD_HEADERS: readonly HeaderDoc[] = [
  CONTENT_ENCODING,
  {
    name: 'Prefer',
    description:
      '`respond-async` leaves the run to the worker and answers 202; needs the plan feature `async_feeds`',
    example: 'respond-async',
  },
];
