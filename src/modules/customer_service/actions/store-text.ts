/** Texts of buyers and of the marketplace, as they are stored. */
import { maskText } from '../../../kernel/contact-data/conversation-text.ts';
import type { Acting } from '../../../kernel/context.ts';
import { IntakeRejection } from '../../../kernel/events.ts';
import { takeSent } from '../../../platform/attachments/attachments.ts';
import { policyAt } from '../../../platform/service-policy/policies.ts';
import { readKnown } from '../../messages/index.ts';
import type { Links } from '../domain/links.ts';
import type { EntryText } from './change-ticket.ts';

interface Said {
  readonly text: string;
  readonly masked: readonly string[];
  readonly attachments?: readonly string[] | undefined;
  readonly external_entry_id: string;
  readonly digest: string;
  /** The buyer was erased: nothing of the text is kept. */
  readonly erased: boolean;
}

/** Texts of others without contact data. */
export async function maskAll(ctx: Acting, links: Links, ...given: readonly string[]) {
  const known = await readKnown(ctx, links, await policyAt(ctx.db, ctx.now()));
  return given.map((text) => maskText(text, known));
}
export const NO_TEXT = { text: '', masked: [] };

/** A masked text as it is stored: without anything of an erased buyer. */
export async function stored(ctx: Acting, said: Said): Promise<EntryText> {
  const { text, masked, external_entry_id, digest: content_digest } = said;
  if (said.erased) {
    const redacted = { reason: 'erasure', at: ctx.at() };
    return { text: null, redacted, external_entry_id };
  }
  const wanted = [...new Set(said.attachments ?? [])];
  const files = await takeSent(ctx, wanted);
  if (files.length < wanted.length)
    throw new IntakeRejection(
      'attachment_not_found',
      'data/attachments names a file that was not sent, or that another text uses.',
    );
  const attachment_ids = wanted;
  return { text, masked, attachment_ids, external_entry_id, content_digest };
}
