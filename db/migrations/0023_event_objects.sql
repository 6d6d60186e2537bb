-- What events of bulk writes show, once somebody has read them. It stood in their rows of the outbox: each became
-- five times as long, moved, and had a new entry in five indexes.
create table event_object (
  seller_id id not null,
  -- Of the event.
  sequence bigint not null,
  type text not null,
  object_id id not null,
  -- Of the object as it is shown: its event may have been written for an earlier one.
  object_version integer not null,
  data json not null,
  -- Unique without the object too. One index alone, in this order, finds what the next event about an object shows
  -- and what an event shows: with two, a planner without statistics takes the wrong one.
  primary key (seller_id, object_id, sequence)
) with (toast_tuple_target = 4080);
select protect_seller_table('event_object');
