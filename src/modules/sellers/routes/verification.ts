import { coreErrors, fail } from '../../../kernel/errors.ts';
import { defineRoute, okJson } from '../../../platform/http/define-route.ts';
import { writes } from '../../../platform/rest/access.ts';
import { verifyBusinessNumber } from '../actions/verify-business-number.ts';
import { VERIFICATION_EXAMPLE, VerificationSchema } from '../schemas/verification.ts';
import { requireSeller } from '../store/seller-row.ts';
import { takeTurn } from '../store/verification.ts';

const PAUSE_MS = 60_000;

export const verificationRoute = defineRoute({
  id: 'sellers.business_number.check',
  method: 'POST',
  path: '/me/business/verification',
  summary: 'Check the business number with the register now',
  description:
    'Compares the ABN and the legal name with the Australian Business Register, at most once a minute. A register that does not answer changes nothing; the check is tried again the next day. The service checks again every 30 days.',
  access: { ...writes('settings', 'setup'), idempotency: 'none' },
  // No transaction is held while the register is asked.
  tx: 'own',
  ok: okJson('What is known now', VerificationSchema, VERIFICATION_EXAMPLE),
  errors: [],
  handler: async (ctx) => {
    const seller = await ctx.transaction('write', async (db) => {
      const row = await requireSeller(ctx.in(db));
      if (await takeTurn(ctx.in(db), ctx.now(), PAUSE_MS)) return row;
      const detail = 'The register was asked less than a minute ago; retry after the seconds in Retry-After.';
      throw fail(coreErrors.rate_limited, { detail, headers: { 'retry-after': String(PAUSE_MS / 1_000) } });
    });
    const abn = await verifyBusinessNumber(ctx, seller, (fn) =>
      ctx.transaction('write', async (db) => {
        const answer = await fn(ctx.in(db));
        await ctx.record(db, { status: 200 });
        return answer;
      }),
    );
    return { body: { abn } };
  },
});
