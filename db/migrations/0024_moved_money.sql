-- How much has ever been moved in a seller's books, in either direction: no sum of theirs is more than that.
alter table ledger_head add column moved_minor bigint not null default 0 check (moved_minor >= 0);
alter table ledger_entry no force row level security;
alter table ledger_head no force row level security;
update ledger_head h set moved_minor = moved.amount from (
  select seller_id, sum(amount_minor) as amount from ledger_entry where amount_minor > 0 group by seller_id) as moved
where moved.seller_id = h.seller_id;
alter table ledger_entry force row level security;
alter table ledger_head force row level security;
