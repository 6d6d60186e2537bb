-- What one side of a comparison has and the other is still waited for is named as well: a difference of which that is
-- all there is to say is not an unexplained one. The release before writes none.
alter table reconciliation add column awaited_codes text[] not null default '{}';
