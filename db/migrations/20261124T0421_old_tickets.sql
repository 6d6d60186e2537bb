-- owner: customer_service
--
-- A ticket has old texts if an entry has one. A text that came after the others were deleted is found like
-- the first.

create index ticket_entry_kept on ticket_entry (recorded_at)
  where text is not null;

alter table ticket drop column redacted_at;
