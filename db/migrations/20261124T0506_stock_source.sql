-- owner: products
--
-- Who counts the units of a product: the seller, or the supplier of its dropship listing.
alter table inventory
  add column stock_source text not null default 'own' check (stock_source in ('own', 'supplier'));
