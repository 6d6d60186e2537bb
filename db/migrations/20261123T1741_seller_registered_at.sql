-- owner: sellers
--
-- When a seller was registered: at its creation by registration, or when an owner took the seller that the
-- marketplace provided. Null while it waits for its owner.
alter table seller add column registered_at timestamptz;

-- Row-level security would show the migration no rows.
alter table seller no force row level security;
update seller
   set registered_at = created_at;
alter table seller force row level security;
