-- owner: quality
-- An order may count again after it has ceased to: its event keeps its id, its contest and its decision.
alter table quality_event add column gone boolean not null default false;
