-- owner: quality
create table quality_night (
  seller_id id not null,
  -- Changes of orders were followed up to this instant.
  watermark_at timestamptz,
  -- What was told last of each metric.
  told jsonb not null default '{}',
  -- The last Sydney day that the night has counted, for readers who queue no night; null: none yet.
  through_on date,
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
