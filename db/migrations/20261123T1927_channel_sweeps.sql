-- owner: channels
--
-- What a channel has read of its store by itself: imports, and sweeps that find what no delivery told.

alter table channel
  -- When the store was connected. Until an import is applied, a sweep leaves out what did not change since.
  -- Null: connected before this migration.
  add column connected_at timestamptz,
  -- When the last applied import ended; null: none, or the last one was reverted.
  add column imported_at timestamptz,
  -- Changes of the store until then are compared.
  add column watermark timestamptz,
  -- When everything was compared for the last time.
  add column swept_whole_at timestamptz,
  -- What the last sweep has found.
  add column last_sweep jsonb;
