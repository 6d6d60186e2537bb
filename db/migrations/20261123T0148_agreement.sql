-- owner: agreement
--
-- The marketplace's terms, and the acceptances of sellers.

-- not a seller table: the marketplace publishes its terms to every seller.
create table agreement_version (
  version text collate "C" primary key,
  title text not null,
  -- Null: the text is at the address only.
  text text,
  text_sha256 text not null,
  url text not null,
  effective_on date not null,
  -- The last day for the acceptance; null: a seller that has accepted an older version need not accept this
  -- one.
  reacceptance_by date,
  summary_of_changes text[] not null,
  -- By the marketplace's clock.
  published_at timestamptz not null,
  -- By the service's clock: sellers can know the version since then.
  received_at timestamptz not null
);
select publish_table('agreement_version');
create index agreement_version_newest
  on agreement_version (effective_on, published_at, version);

-- The service proves with these rows what was accepted, so they never change.
create table agreement_acceptance (
  seller_id id not null,
  acceptance_id id not null,
  version text collate "C" not null references agreement_version,
  text_sha256 text not null,
  member_id id not null,
  roles text[] not null,
  accepted_at timestamptz not null,
  aal text not null,
  statement text not null,
  -- Canonical JSON of what was accepted, by whom and when, and its digest.
  receipt text not null,
  receipt_sha256 text not null,
  primary key (seller_id, acceptance_id),
  unique (seller_id, version)
);
select protect_seller_table('agreement_acceptance');

create function refuse_change_of_acceptances() returns trigger language plpgsql as $$
begin
  raise exception 'an acceptance of the terms never changes' using errcode = 'restrict_violation';
end $$;
create trigger append_only
  before update or delete on agreement_acceptance
  for each row execute function refuse_change_of_acceptances();
create trigger never_emptied
  before truncate on agreement_acceptance
  execute function refuse_change_of_acceptances();

-- What onboarding asks about the terms: whether there are any, and when the seller accepted some.
create view v_agreement_published with (security_invoker = true) as
select version
from agreement_version;
grant select on v_agreement_published to spp_app, spp_system;

create view v_agreement_onboarding with (security_invoker = true) as
select
  seller_id,
  accepted_at
from agreement_acceptance;
grant select on v_agreement_onboarding to spp_app, spp_system;
