-- owner: kyc
--
-- Verification of identity for the marketplace: one case for each seller, in rounds, with what each round
-- asks for.
create table kyc_case (
  seller_id id not null references seller,
  kyc_id id not null,
  round integer not null,
  status text not null check (status in (
    'not_required', 'collecting', 'submitted', 'in_review', 'more_info_required', 'approved', 'rejected')),
  entity_type text,
  -- Why the marketplace refused the case as a whole: [{"code", "detail"}].
  reasons jsonb not null,
  submitted_at timestamptz,
  decided_at timestamptz,
  expires_on date,
  -- The last time the marketplace called for documents, by its clock; older calls are stale.
  required_at timestamptz,
  deadline timestamptz,
  -- Whether settlements are held because the deadline has passed.
  holding boolean not null,
  -- The reminder of the expiry that was sent last: so many days before it.
  reminded integer,
  version integer not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  -- The marketplace's time of the call that began the round. Null: the setting KYC_REQUIRED began it.
  began_at timestamptz,
  -- A decision names the version of the case that the marketplace has reviewed. The documents of an earlier
  -- one were others.
  submitted_version integer,
  primary key (seller_id, kyc_id),
  unique (seller_id)
);
select protect_seller_table('kyc_case');

create table kyc_item (
  seller_id id not null,
  item_id id not null,
  kyc_id id not null,
  round integer not null,
  code text not null,
  -- Whom it is about, for example director_1; null: the business.
  subject text,
  status text not null check (status in ('missing', 'provided', 'accepted', 'refused')),
  reasons jsonb not null,
  primary key (seller_id, item_id),
  foreign key (seller_id, kyc_id) references kyc_case
);
select protect_seller_table('kyc_item');
create index kyc_item_case on kyc_item (seller_id, kyc_id, round, item_id);

create table kyc_document (
  seller_id id not null,
  attachment_id id not null,
  item_id id not null,
  -- passport, driver_licence, national_id; null: the item has no choice.
  type text,
  side text,
  -- Null while it counts; then the content is deleted at this instant.
  delete_at timestamptz,
  deleted boolean not null default false,
  -- What an approval relied on is kept until long after the account was closed, whatever becomes of the
  -- case: then delete_at only says that the document does not count any more.
  relied_on boolean not null default false,
  primary key (seller_id, attachment_id),
  foreign key (seller_id, item_id) references kyc_item
);
select protect_seller_table('kyc_document');
create index kyc_document_item on kyc_document (seller_id, item_id);
create index kyc_document_expiry on kyc_document (delete_at) where not deleted and not relied_on;

-- A case that asks for nothing yet waits for the marketplace, which names the items of some legal forms.
create view v_kyc_onboarding with (security_invoker = true) as
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
grant select on v_kyc_onboarding to spp_app, spp_system;
