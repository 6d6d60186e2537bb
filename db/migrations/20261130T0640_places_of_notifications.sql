-- owner: notifications
--
-- Where the object of a notification is shown, below /api/v1; null: the route that reads objects with such
-- an id.
alter table notification add column href text;
