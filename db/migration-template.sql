-- owner: {{module}}
--
-- {{title}}.

create table {{table}} (
  seller_id id not null,
  {{key}} id not null,
  version integer not null default 1,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (seller_id, {{key}})
);
select protect_seller_table('{{table}}');
