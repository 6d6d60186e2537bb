-- owner: quality
--
-- The last Sydney day that the night has counted, for readers who queue no night; null: none yet.
alter table quality_night add column through_on date;
