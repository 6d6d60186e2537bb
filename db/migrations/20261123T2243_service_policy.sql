-- owner: platform
--
-- The marketplace's targets for answers to buyers and for tickets. Each clock keeps the version under which
-- it began.

-- not a seller table: the marketplace publishes its targets to every seller.
create table service_policy (
  version text collate "C" primary key,
  effective_from date not null,
  -- Calendars and targets as they were published.
  policy json not null,
  published_at timestamptz not null
);
create index service_policy_effective on service_policy (effective_from, published_at);
select publish_table('service_policy');
