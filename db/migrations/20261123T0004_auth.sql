-- owner: auth
--
-- Which seller a marketplace identity acts for, and the sessions of its tokens.

-- not a seller table: the service looks an identity up before it knows the seller.
create table seller_identity (
  subject text primary key,
  seller_id id not null references seller,
  member_id id not null,
  bound_at timestamptz not null
);
grant select, insert, update, delete on seller_identity to spp_system;

create table auth_session (
  seller_id id not null references seller,
  sid id not null,
  member_id id not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  revoked_at timestamptz,
  primary key (seller_id, sid)
);
select protect_seller_table('auth_session');
create index auth_session_expiry on auth_session (expires_at);
