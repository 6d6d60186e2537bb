-- owner: kyc
--
-- A decision names the version of the case that the marketplace has reviewed. The documents of an earlier one
-- were others.

alter table kyc_case add column submitted_version integer;
