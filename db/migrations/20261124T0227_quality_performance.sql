-- owner: quality
--
-- How the seller serves its orders: what counts against it, and sums by Sydney day.
create table quality_event (
  seller_id id not null,
  event_id id not null,
  metric text not null,
  order_id id not null,
  -- The reference day of the order for this metric.
  day date not null,
  -- Since when it counts.
  since_at timestamptz not null,
  fact jsonb not null,
  -- False: a contest was upheld.
  counted boolean not null,
  primary key (seller_id, event_id),
  unique (seller_id, order_id, metric)
);
select protect_seller_table('quality_event');
create index quality_event_day on quality_event (seller_id, metric, day, event_id);
create index quality_event_age on quality_event (day);

create table quality_day (
  seller_id id not null,
  metric text not null,
  day date not null,
  numerator integer not null,
  denominator integer not null,
  primary key (seller_id, metric, day)
);
select protect_seller_table('quality_day');
create index quality_day_age on quality_day (day);

-- The days on which each order is counted, so that a changed order leaves its old days.
create table quality_order (
  seller_id id not null,
  order_id id not null,
  -- By metric.
  days jsonb not null,
  -- The last of them.
  day date not null,
  primary key (seller_id, order_id)
);
select protect_seller_table('quality_order');
create index quality_order_age on quality_order (day);

create table quality_night (
  seller_id id not null,
  -- Changes of orders were followed up to this instant.
  watermark_at timestamptz,
  -- What was told last of each metric.
  told jsonb not null default '{}',
  primary key (seller_id)
);
select protect_seller_table('quality_night');

-- not a seller table: the marketplace publishes its targets to every seller.
create table quality_target (
  version text collate "C" not null,
  metric text not null,
  -- Never before the day on which it was published.
  effective_from date not null,
  max_bps integer not null,
  published_at timestamptz not null,
  primary key (version, metric)
);
select publish_table('quality_target');
