-- owner: marketing
--
-- Promotions that a seller pays for, and the orders on which the marketplace granted their discounts.
create table promotion (
  seller_id id not null references seller,
  promotion_id id not null,
  name text not null,
  kind text not null check (kind in ('percent_off', 'amount_off')),
  value_bps integer,
  value_minor bigint,
  applies_to jsonb not null,
  code text collate "C",
  starts_at timestamptz not null,
  ends_at timestamptz not null,
  currency text not null,
  budget_minor bigint not null check (budget_minor > 0),
  status text not null check (status in ('draft', 'submitted', 'scheduled', 'running', 'ended')),
  -- The last submission; null: the marketplace has never seen it.
  submitted_at timestamptz,
  decision jsonb,
  end_reason text check (end_reason in ('time', 'seller', 'policy', 'budget')),
  ended_at timestamptz,
  -- Always the sums of promotion_order.
  used_orders integer not null check (used_orders >= 0),
  used_units integer not null check (used_units >= 0),
  used_minor bigint not null check (used_minor >= 0),
  version integer not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  -- A decision names the version that the marketplace has reviewed. The terms of an earlier submission may
  -- have been others.
  submitted_version integer,
  primary key (seller_id, promotion_id),
  check (starts_at < ends_at),
  check ((kind = 'percent_off') = (value_bps is not null)),
  check ((kind = 'amount_off') = (value_minor is not null)),
  check ((status = 'ended') = (end_reason is not null)),
  check ((status = 'ended') = (ended_at is not null))
);
select protect_seller_table('promotion');
create index promotion_open on promotion (seller_id) where status <> 'ended';

create table promotion_order (
  seller_id id not null,
  promotion_id id not null,
  order_id id not null,
  placed_at timestamptz not null,
  -- What was granted, and on how many units of which lines.
  granted_minor bigint not null,
  granted_units integer not null check (granted_units > 0),
  line_ids text[] not null,
  -- The same without the units that were rejected, expired or cancelled.
  discount_minor bigint not null check (discount_minor between 0 and granted_minor),
  units integer not null check (units between 0 and granted_units),
  -- Whether promotion.overspent has told of this order.
  overspent_told boolean default false not null,
  primary key (seller_id, promotion_id, order_id),
  foreign key (seller_id, promotion_id) references promotion
);
select protect_seller_table('promotion_order');
create index promotion_order_named on promotion_order (seller_id, order_id);
create index promotion_order_listed on promotion_order (seller_id, promotion_id, placed_at, order_id)
  where units > 0;
