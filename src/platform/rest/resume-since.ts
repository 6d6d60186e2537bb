/**
 * Lists and files with the filter `updated_since` say from when the next one must read. A change becomes visible at its
 * commit, which may come after a list was read and have an instant from before. Source: docs/design/wire.md.
 */
import { isoOf, UNSEEN_MS } from '../../kernel/instant.ts';
import type { HeaderDoc } from '../../kernel/route.ts';
import { Instant, Nullable } from '../../kernel/schema.ts';
import type { HandlerCtx } from '../services.ts';

/** Reads from when the next list of changes must read (RFC 3339), where requests are not all that writes. */
export type ReadResume = (ctx: HandlerCtx) => Promise<string>;

const afterRequests: ReadResume = async (ctx) => isoOf(ctx.now() - UNSEEN_MS);

export const ResumeSince = Nullable(
  Instant({
    description:
      'With `updated_since`: send the value of the first page as the next `updated_since`. The next list has what changed while this one was read; some rows may repeat',
  }),
);

/** The field of a file. */
export const RESUME_HEADER: HeaderDoc = {
  name: 'Resume-Since',
  description:
    'With `updated_since`: the next `updated_since`. The next file has what changed while this one was read; some rows may repeat',
  example: '2026-07-01T00:00:00.000Z',
};

export const listsChanges = (filters: object | undefined): boolean =>
  filters !== undefined && 'updated_since' in filters;

/** From when the next list must read; null: this one does not list changes. */
export async function resumeOf(
  ctx: HandlerCtx,
  asked: object,
  read: ReadResume = afterRequests,
): Promise<string | null> {
  const { updated_since } = asked as { readonly updated_since?: string };
  return updated_since === undefined ? null : read(ctx);
}

/** The header of a file that lists changes. */
export async function resumeHeader(...asked: Parameters<typeof resumeOf>): Promise<Record<string, string>> {
  const since = await resumeOf(...asked);
  return since === null ? {} : { 'resume-since': since };
}
