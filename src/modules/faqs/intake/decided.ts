/** `marketplace.faq.decided`: whether buyers see a version of a FAQ. */
import Type from 'typebox';
import { isOlder, orderOf } from '../../../kernel/event-order.ts';
import { defineMarketplaceEvent, IntakeRejection } from '../../../kernel/events.ts';
import { Nullable, StringEnum } from '../../../kernel/schema.ts';
import { actingForSeller } from '../../../platform/acting-for-seller.ts';
import { writeVersion } from '../../../platform/db/table.ts';
import { charsOf } from '../actions/faqs.ts';
import { faqMachine } from '../domain/faq-machine.ts';
import { faqEvents } from '../events.ts';
import { toWire } from '../schemas.ts';
import { faqs, faqVersions } from '../store.ts';

const Data = Type.Object({
  version: Type.Integer({ minimum: 1, description: '`submitted_version` of the FAQ' }),
  decision: StringEnum(['live', 'rejected']),
  reasons: Type.Optional(
    Type.Array(
      Type.Object({
        code: Type.String({ minLength: 1, maxLength: 64 }),
        detail: Type.Optional(Nullable(Type.String({ maxLength: 2_000 }))),
      }),
      { maxItems: 50 },
    ),
  ),
});

export const faqDecided = defineMarketplaceEvent({
  type: 'marketplace.faq.decided',
  summary: 'The marketplace shows a version of a FAQ to buyers, or rejects it',
  subject: 'faq id',
  schema: Data,
  example: { version: 3, decision: 'rejected', reasons: [{ code: 'links', detail: 'No links, please.' }] },
  apply: async (intake, event) => {
    const { version, decision, reasons = [] } = event.data;
    const ctx = await actingForSeller(intake, event.seller_id, 'sellerid must be the seller of the FAQ.');
    const row = await faqs.find(ctx, { faq_id: event.subject ?? '' }, 'for update');
    if (row === undefined) throw new IntakeRejection('faq_not_found', 'The seller has no such FAQ.');
    if (version > (row.submitted_version ?? 0))
      throw new IntakeRejection('version_unknown', `The version ${version} was not submitted.`);
    const known = { at: row.decided_at, version: row.decided_version };
    const order = orderOf(event);
    const isAbout = faqMachine.allows('decide', row.status) && version === row.submitted_version;
    if (!isAbout || isOlder(order, known)) return { status: 'stale' };
    const live_version = decision === 'live' ? version : row.live_before;
    const { faq_id } = row;
    const kept = await faqVersions.find(ctx, { faq_id, version: live_version ?? version });
    const after = await writeVersion(faqs, ctx, row, {
      publication: decision,
      live_version,
      ...(kept && { submitted_chars: charsOf(kept) }),
      reasons: reasons.map(({ code, detail = null }) => ({ code, detail })),
      decided_at: order.at,
      decided_version: order.version,
    });
    await ctx.emit(faqEvents[decision].of(toWire(after)));
    return { status: 'applied' };
  },
});
