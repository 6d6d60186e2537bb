-- owner: kyc

-- A case that asks for nothing yet waits for the marketplace, which names the items of some legal forms.
create or replace view v_kyc_onboarding with (security_invoker = true) as
select k.seller_id,
       case
         when k.status in ('collecting', 'more_info_required')
          and not exists (select from kyc_item i
                           where i.seller_id = k.seller_id and i.kyc_id = k.kyc_id and i.round = k.round)
         then 'unnamed'
         else k.status
       end as status,
       k.decided_at
  from kyc_case k
 where k.status <> 'not_required';
