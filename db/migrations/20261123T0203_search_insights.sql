-- owner: search-insights
--
-- The marketplace's weekly reports about searches. Rows of few searchers, and searches that may say who
-- searched, are not stored.
create table search_report (
  seller_id id not null references seller,
  -- Week of ISO 8601, 2026-W30.
  period id not null,
  ends_on date not null,
  status text not null check (status in ('available', 'below_threshold')),
  row_count integer not null check (row_count >= 0),
  withheld_rows integer not null check (withheld_rows >= 0),
  -- Sums of the rows of few searchers.
  other jsonb not null,
  has_market boolean not null,
  -- The newest report that the marketplace has sent.
  told_at timestamptz not null,
  told_version bigint,
  version integer not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (seller_id, period),
  check ((status = 'available') = (row_count > 0))
);
select protect_seller_table('search_report');
create index search_report_age on search_report (ends_on);

create table search_row (
  seller_id id not null,
  period id not null,
  query text collate "C" not null,
  product_id id not null,
  impressions bigint not null check (impressions >= 0),
  clicks bigint not null check (clicks >= 0),
  purchases bigint not null check (purchases >= 0),
  market_impressions bigint check (market_impressions >= 0),
  primary key (seller_id, period, query, product_id),
  foreign key (seller_id, period) references search_report on delete cascade
);
select protect_seller_table('search_row');
