-- owner: sellers
--
-- What the business register has said about the number and the name of a seller.

create table seller_verification (
  seller_id id primary key references seller,
  -- The number and the name that were checked; after a change of either the row no longer counts.
  abn text not null,
  name text not null,
  register jsonb not null,
  name_match jsonb,
  verdict text not null check (verdict in ('verified', 'mismatch', 'inactive', 'not_found', 'unknown')),
  -- When the register answered last; null: it never did.
  verified_at timestamptz,
  next_check_on date not null
);
select protect_seller_table('seller_verification');
create index seller_verification_next on seller_verification (next_check_on);

-- When the seller had the register asked, because it may do so once a minute.
alter table seller add column register_asked_at timestamptz;
