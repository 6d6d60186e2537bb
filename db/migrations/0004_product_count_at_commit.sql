-- The count of products is settled when a transaction ends. Whoever writes products leaves what it changes here,
-- for nobody else to see; the counter itself is held from the settling to the commit alone, so that a long feed
-- does not keep others from creating. Every row of a transaction is gone with its commit.
create table product_count_change (
  seller_id id not null,
  change_id bigint generated always as identity,
  delta integer not null,
  primary key (seller_id, change_id)
);
select protect_seller_table('product_count_change');

create function settle_product_count(seller id, out moved integer, out counted integer) language plpgsql as $$
begin
  with due as (delete from product_count_change where seller_id = seller returning delta)
  select coalesce(sum(delta), 0) into moved from due;
  if moved = 0 then
    select used into counted from usage_counter where seller_id = seller and resource = 'products';
    return;
  end if;
  update usage_counter set used = used + moved where seller_id = seller and resource = 'products'
  returning used into counted;
  if not found then
    -- The first products of a seller, and perhaps of two requests at once.
    insert into usage_counter as counter (seller_id, resource, used) values (seller, 'products', moved)
    on conflict (seller_id, resource) do update set used = counter.used + excluded.used
    returning used into counted;
  end if;
end $$;

create function settle_product_count_at_commit() returns trigger language plpgsql as $$
begin
  perform settle_product_count(new.seller_id);
  return null;
end $$;
create constraint trigger product_count_settled after insert on product_count_change
  deferrable initially deferred for each row execute function settle_product_count_at_commit();

create or replace function count_new_products() returns trigger language plpgsql as $$
begin
  insert into product_count_change (seller_id, delta)
  select seller_id, count(*) from after_rows where status <> 'archived' group by seller_id;
  return null;
end $$;

create or replace function count_products() returns trigger language plpgsql as $$
begin
  insert into product_count_change (seller_id, delta)
  select seller_id, sum(delta) from (
    select seller_id, count(*) as delta from after_rows where status <> 'archived' group by seller_id
    union all
    select seller_id, -count(*) from before_rows where status <> 'archived' group by seller_id
  ) both_sides group by seller_id having sum(delta) <> 0;
  return null;
end $$;

create or replace function uncount_products() returns trigger language plpgsql as $$
begin
  insert into product_count_change (seller_id, delta)
  select seller_id, -count(*) from before_rows where status <> 'archived' group by seller_id;
  return null;
end $$;
