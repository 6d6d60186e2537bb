-- owner: channels
--
-- When a seller was last told about issues of a kind, and how many opened since: one event an hour.
create table integration_issue_notice (
  seller_id id not null,
  channel_id id not null,
  kind text not null,
  told_at timestamptz not null,
  waiting integer not null,
  primary key (seller_id, channel_id, kind),
  foreign key (seller_id, channel_id) references channel
);
select protect_seller_table('integration_issue_notice');
