-- owner: marketing
--
-- Whether promotion.overspent has told of this order.
alter table promotion_order add column overspent_told boolean default false not null;
