-- owner: faqs
--
-- Questions and answers about a product or a brand, with every version of their texts.
create table faq (
  seller_id id not null references seller,
  faq_id id not null,
  scope text not null check (scope in ('product', 'brand')),
  -- The product's id, or the brand in small letters.
  target text collate "C" not null,
  product_id id,
  brand_name text,
  locale text collate "C" not null,
  -- The texts of the newest version; the older ones are in faq_version.
  question text not null,
  answer text not null,
  position integer not null,
  question_key text not null,
  text_version integer not null,
  status text not null check (status in ('draft', 'published', 'archived')),
  publication text not null check (publication in ('not_published', 'pending', 'live', 'rejected')),
  live_version integer,
  -- The version that was submitted last, its characters, and what was live when it was submitted.
  submitted_version integer,
  submitted_chars integer not null,
  live_before integer,
  -- The newest decision about the submitted version.
  decided_at timestamptz,
  decided_version bigint,
  reasons jsonb not null,
  version integer not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (seller_id, faq_id),
  check ((scope = 'product') = (product_id is not null)),
  check ((scope = 'brand') = (brand_name is not null))
);
select protect_seller_table('faq');
create unique index faq_question on faq (seller_id, scope, target, locale, question_key)
  where status <> 'archived';
create index faq_listed on faq (seller_id, target, locale, position, faq_id);
create index faq_product on faq (seller_id, product_id) where status <> 'archived';

create table faq_version (
  seller_id id not null,
  faq_id id not null,
  version integer not null,
  question text not null,
  answer text not null,
  position integer not null,
  member_id id not null,
  created_at timestamptz not null,
  primary key (seller_id, faq_id, version),
  -- The version is written before its FAQ.
  foreign key (seller_id, faq_id) references faq deferrable initially deferred
);
select protect_seller_table('faq_version');

create function refuse_change_of_a_faq_version() returns trigger language plpgsql as $$
begin
  raise exception 'versions of FAQs are append-only';
end $$;
create trigger append_only
  before update or delete on faq_version
  for each row execute function refuse_change_of_a_faq_version();

-- A revert deletes the products that its run has created. Their FAQs are archived, as with archived products.
create function archive_faqs_of_a_product() returns trigger language plpgsql as $$
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
create trigger archived_faqs after update on product
  for each row when (new.status = 'archived' and old.status <> 'archived')
  execute function archive_faqs_of_a_product();
create trigger deleted_faqs after delete on product
  for each row when (old.status <> 'archived')
  execute function archive_faqs_of_a_product();
