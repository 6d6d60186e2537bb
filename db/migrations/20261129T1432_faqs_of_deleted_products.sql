-- owner: faqs
--
-- A revert deletes the products that its run has created. Their FAQs are archived, as with archived products.
create or replace function archive_faqs_of_a_product() returns trigger language plpgsql as $$
declare
  -- A deletion has no instant of its own.
  gone_at timestamptz := case tg_op when 'DELETE' then now() else new.updated_at end;
begin
  perform from faq
    where seller_id = old.seller_id and product_id = old.product_id and status <> 'archived'
      for update;
  insert into job (job_id, kind, seller_id, payload, due_at, created_at)
  select 'job_' || replace(gen_random_uuid()::text, '-', ''), 'faqs.tell_archived', seller_id,
         jsonb_build_object('faq_id', faq_id), old.updated_at, gone_at
    from faq
   where seller_id = old.seller_id
     and product_id = old.product_id
     and status = 'published'
     and (live_version is not null or publication = 'pending');
  update faq
     set status = 'archived', publication = 'not_published', live_version = null, live_before = null,
         submitted_chars = 0, reasons = '[]', version = version + 1, updated_at = gone_at
   where seller_id = old.seller_id and product_id = old.product_id and status <> 'archived';
  return null;
end $$;
create trigger deleted_faqs after delete on product
  for each row when (old.status <> 'archived')
  execute function archive_faqs_of_a_product();
