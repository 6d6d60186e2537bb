-- owner: search-insights
--
-- Rows of a report whose searches are equal become one row: the sum of 2,000 largest counts is beyond
-- an integer.
alter table search_row
  alter column impressions type bigint,
  alter column clicks type bigint,
  alter column purchases type bigint,
  alter column market_impressions type bigint;
