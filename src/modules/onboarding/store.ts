import { boolean, instant, nullable, type RowOf, text, textOf } from '../../platform/db/columns.ts';
import { statement } from '../../platform/db/statement.ts';
import type { SellerDb } from '../../platform/db/table.ts';

const facts = {
  active: boolean,
  verified: boolean,
  api_access: boolean,
  agreement_published: boolean,
  agreement_accepted_at: nullable(instant),
  agreement_due_at: nullable(instant),
  legal_name: boolean,
  entity_type: boolean,
  abn: boolean,
  address: boolean,
  verdict: nullable(textOf<'verified' | 'mismatch' | 'inactive' | 'not_found' | 'unknown'>()),
  verified_at: nullable(instant),
  dispatch_address: boolean,
  active_product: boolean,
  visible_product: boolean,
  active_endpoint: boolean,
  delivered: boolean,
  /** Null while no identity is asked for. */
  identity_status: nullable(text),
  identity_decided_at: nullable(instant),
  /** Null before the seller has opened one. */
  payout_account: nullable(text),
  payout_due: boolean,
  store_connected: boolean,
};
type OnboardingFacts = RowOf<typeof facts>;

/** Reads all facts in one statement; each fact is the existence of a row. */
export async function readFacts({ db, seller_id }: SellerDb): Promise<OnboardingFacts> {
  const row = await db.one(statement(facts)`
    select s.active, s.verified, s.api_access, s.agreement_due_at, s.legal_name, s.entity_type, s.abn, s.address,
           s.dispatch_address, s.verdict, s.verified_at,
           exists (select from v_agreement_published) as agreement_published,
           (select max(accepted_at)
              from v_agreement_onboarding a
             where a.seller_id = s.seller_id) as agreement_accepted_at,
           exists (select from v_products_onboarding p where p.seller_id = s.seller_id) as active_product,
           exists (select from v_products_onboarding p where p.seller_id = s.seller_id and p.is_live)
             as visible_product,
           exists (select from v_webhooks_onboarding w where w.seller_id = s.seller_id) as active_endpoint,
           exists (select from v_webhooks_onboarding w where w.seller_id = s.seller_id and w.delivered)
             as delivered,
           k.status as identity_status, k.decided_at as identity_decided_at,
           o.status as payout_account, coalesce(o.due, false) as payout_due,
           exists (select from v_channels_onboarding c where c.seller_id = s.seller_id) as store_connected
      from v_sellers_onboarding s
      left join v_kyc_onboarding k
        on k.seller_id = ${seller_id}
      left join v_payouts_onboarding o
        on o.seller_id = ${seller_id}
     where s.seller_id = ${seller_id}`);
  if (row === undefined) throw new Error(`there is no seller ${seller_id}`);
  return row;
}
