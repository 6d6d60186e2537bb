-- owner: channels
--
-- A disconnection may take products off sale, in parts. A new connection of the store ends that, so a later
-- disconnection that keeps its products is not followed by what is left of the earlier one.

alter table channel
  -- Whether products of the channel are to be taken off sale.
  add column deactivating boolean not null default false;
