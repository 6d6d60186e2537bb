-- Changes as [field, before, after]: the same in half the space, which a run writes for every row of its file.
create function pg_temp.shorten(changes json) returns json language sql as $$
  select json_agg(json_build_array(c -> 'field', c -> 'before', c -> 'after') order by n)
  from json_array_elements(changes) with ordinality as e (c, n)
$$;
update feed_row set changes = pg_temp.shorten(changes) where changes is not null;
update product_change set changes = coalesce(pg_temp.shorten(changes), '[]');
