-- owner: marketplace-intel
--
-- Aggregates over the sellers of a category. A cell is stored once and never changes.

-- not a seller table: the marketplace publishes its aggregates to every seller.
create table intel_cell (
  -- Levels in small letters: home > kitchen > mugs.
  category text collate "C" not null,
  -- Month 2026-07 or week 2026-W30.
  period text collate "C" not null,
  measure text not null check (measure in ('price_band', 'demand_index', 'search_index')),
  currency text not null,
  status text not null check (status in ('published', 'held_back')),
  -- Rounded before it is stored. What is held back is not stored.
  value jsonb,
  contributors_band text check (contributors_band in ('10-19', '20-49', '50-199', '200+')),
  published_at timestamptz not null,
  primary key (category, period, measure, currency),
  check ((status = 'published') = (value is not null)),
  check ((status = 'published') = (contributors_band is not null))
);
select publish_table('intel_cell');
