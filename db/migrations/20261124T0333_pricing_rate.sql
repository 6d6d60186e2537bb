-- owner: pricing
--
-- What payment providers kept of the paid orders, in hundredths of a per cent, as the last evaluation of all
-- products has counted it; null: not known. Without a currency it was not counted.
alter table price_pass add column currency text;
alter table price_pass add column processing_bps integer;
