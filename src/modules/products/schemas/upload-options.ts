/** Headers and parameters of the routes that start a feed run. */
import Type from 'typebox';
import type { HeaderDoc } from '../../../kernel/route.ts';

export const CONTENT_ENCODING: HeaderDoc = {
  name: 'Content-Encoding',
  description: '`gzip` or absent. Size limits count the bytes after decompression',
  example: 'gzip',
};

export const UPLOAD_HEADERS: readonly HeaderDoc[] = [
  CONTENT_ENCODING,
  {
    name: 'Prefer',
    description:
      '`respond-async` returns 202 and lets the worker execute the run; requires the plan feature `async_feeds`',
    example: 'respond-async',
  },
];

export const DryRun = Type.Optional(
  Type.Boolean({
    default: false,
    description: 'Stores the row results and changes nothing; `commit` then applies exactly this preview',
  }),
);
