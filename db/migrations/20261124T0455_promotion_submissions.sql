-- owner: marketing
--
-- A decision names the version that the marketplace has reviewed. The terms of an earlier submission may have
-- been others.

alter table promotion add column submitted_version integer;
