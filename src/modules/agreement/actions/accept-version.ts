import { fail, invalid } from '../../../kernel/errors.ts';
import type { HandlerCtx } from '../../../platform/services.ts';
import { requireSeller, sellerErrors, writeAgreementDue } from '../../sellers/index.ts';
import { makeReceipt, statementFor } from '../domain/receipt.ts';
import { agreementErrors } from '../errors.ts';
import { accepted } from '../events.ts';
import { toWireAcceptance } from '../schemas.ts';
import { type Acceptance, acceptanceOf, acceptances } from '../store/acceptances.ts';
import { findVersion, newestVersion } from '../store/versions.ts';

interface Declared {
  readonly version: string;
  readonly text_sha256: string;
  readonly statement: string;
}

const problem = (field: keyof Declared, type: string, msg: string, input: string) =>
  invalid([{ loc: ['body', field], msg, type, input }]);

/**
 * Accepts the newest version for the seller. An earlier acceptance is returned unchanged.
 *
 * @throws ApiError 403 `owner_required`, 409 `agreement_text_mismatch|version_superseded`, 422
 */
export async function acceptVersion(
  ctx: HandlerCtx,
  body: Declared,
): Promise<{ readonly acceptance: Acceptance; readonly isNew: boolean }> {
  const { version, text_sha256, statement } = body;
  if (!ctx.seller.roles.includes('owner'))
    throw fail(sellerErrors.owner_required, { detail: 'Only an owner may accept the terms for the seller.' });
  // The lock serialises concurrent acceptances.
  const seller = await requireSeller(ctx, true);
  const named = await findVersion(ctx.db, version);
  if (named === undefined)
    throw problem('version', 'version_unknown', 'There is no such version of the terms.', version);
  if (named.text_sha256 !== text_sha256) throw fail(agreementErrors.agreement_text_mismatch);
  const earlier = await acceptanceOf(ctx, version);
  if (earlier !== undefined) return { acceptance: earlier, isNew: false };
  const newest = (await newestVersion(ctx.db)) ?? named;
  if (newest.version !== version)
    throw fail(agreementErrors.version_superseded, { facts: { current: newest.version } });
  const expected = statementFor(seller.business_name);
  if (statement !== expected)
    throw problem('statement', 'statement_mismatch', `Send exactly this sentence: ${expected}`, statement);
  const { seller_id, tax_id } = seller;
  const { member_id, roles } = ctx.seller;
  // The exchange, and every change with a marketplace session, asks for the second factor.
  const declared = { version, text_sha256, member_id, accepted_at: ctx.at(), aal: 'aal2', statement };
  const acceptance = {
    acceptance_id: ctx.ids.next('acc_'),
    ...declared,
    roles,
    ...makeReceipt({ ...declared, seller_id, tax_id }),
  };
  await acceptances.insert(ctx, acceptance);
  const nothingDue = { agreement_due_at: null, agreement_notice_at: null };
  await writeAgreementDue(ctx.db, [{ seller_id, agreement_version: version, ...nothingDue }]);
  // The chain of the activity log seals the receipt too.
  ctx.audit({ target_type: 'agreement_receipt', target_id: acceptance.receipt_sha256 });
  const about = { object_id: acceptance.acceptance_id, version: 1 };
  await ctx.emit(accepted.of(toWireAcceptance(acceptance), about));
  return { acceptance, isNew: true };
}
