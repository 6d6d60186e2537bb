/** What PostgreSQL's own catalogue says about the migrated schema, and the rows that the migrations insert. */
import type pg from 'pg';

export interface Column {
  readonly name: string;
  /** As `format_type` writes it, domains by their name. */
  readonly type: string;
  /** The type below a domain or an array. */
  readonly base_type: string;
  readonly is_array: boolean;
  readonly not_null: boolean;
  readonly default_text: string | null;
  readonly identity: '' | 'a' | 'd';
  readonly generated: '' | 's' | 'v';
  readonly collation: string | null;
  readonly storage: string | null;
  /** Null: the default. */
  readonly statistics: number | null;
}

interface Named {
  readonly name: string;
  readonly definition: string;
}

interface Constraint extends Named {
  /** One letter, as pg_constraint has it: `p`, `u`, `x`, `c`, `f`. */
  readonly kind: string;
}

interface Policy {
  readonly name: string;
  readonly command: string;
  readonly roles: readonly string[];
  readonly using: string | null;
  readonly check: string | null;
}

export interface Grant {
  readonly grantee: string;
  /** `select`, or `update (verified_at)` where the right is to columns only. */
  readonly privileges: readonly string[];
}

interface SequenceGrant extends Grant {
  readonly sequence: string;
}

export interface Relation {
  readonly name: string;
  readonly kind: 'table' | 'view' | 'materialized view' | 'sequence';
  readonly owner: string;
  readonly unlogged: boolean;
  readonly options: readonly string[];
  readonly rls: boolean;
  readonly rls_forced: boolean;
  readonly view_definition: string | null;
  readonly columns: readonly Column[];
  readonly constraints: readonly Constraint[];
  readonly indexes: readonly Named[];
  readonly policies: readonly Policy[];
  readonly triggers: readonly Named[];
  readonly grants: readonly Grant[];
  /** Sequences of its identity columns that others may use. */
  readonly sequence_grants: readonly SequenceGrant[];
}

export interface InsertedRow {
  readonly table: string;
  readonly json: string;
}

export interface Catalogue {
  readonly domains: readonly Named[];
  readonly functions: readonly Named[];
  readonly relations: readonly Relation[];
  /** Rows that the migrations insert, without the record of the migrations themselves. */
  readonly rows: readonly InsertedRow[];
}

const DOMAINS = `
select t.typname as name,
       format_type(t.typbasetype, t.typtypmod)
         || case when c.collname is null or c.collname = 'default' then '' else ' collate ' || quote_ident(c.collname) end
         || case when t.typnotnull then ' not null' else '' end as definition
  from pg_type t
  left join pg_collation c on c.oid = t.typcollation
 where t.typtype = 'd' and t.typnamespace = 'public'::regnamespace
 order by t.typname collate "C"`;

// Functions of extensions are not the service's.
const FUNCTIONS = `
select p.oid::regprocedure::text as name, pg_get_functiondef(p.oid) as definition
  from pg_proc p
 where p.pronamespace = 'public'::regnamespace
   and not exists (select from pg_depend d where d.objid = p.oid and d.deptype = 'e')
 order by p.oid::regprocedure::text collate "C"`;

const COLUMNS = `
select coalesce(json_agg(json_build_object(
         'name', a.attname,
         'type', format_type(a.atttypid, a.atttypmod),
         'base_type', (case
            when t.typtype = 'd' then t.typbasetype::regtype
            when t.typcategory = 'A' then t.typelem::regtype
            else t.oid::regtype end)::text,
         'is_array', t.typcategory = 'A',
         'not_null', a.attnotnull,
         'default_text', pg_get_expr(d.adbin, d.adrelid),
         'identity', a.attidentity,
         'generated', a.attgenerated,
         'collation', case when a.attcollation not in (t.typcollation, 0) then quote_ident(co.collname) end,
         'storage', case when a.attstorage <> t.typstorage then
            case a.attstorage when 'p' then 'plain' when 'e' then 'external' when 'm' then 'main' else 'extended' end end,
         'statistics', nullif(a.attstattarget, -1)
       ) order by a.attnum), '[]')
  from pg_attribute a
  join pg_type t on t.oid = a.atttypid
  left join pg_collation co on co.oid = a.attcollation
  left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
 where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped`;

// Without not-null constraints, which PostgreSQL 18 lists too, and without constraint triggers: the columns and
// the triggers have them.
const CONSTRAINTS = `
select coalesce(json_agg(json_build_object('name', conname, 'kind', contype, 'definition', pg_get_constraintdef(k.oid))
         order by array_position(array['p', 'u', 'x', 'c', 'f'], contype::text), conname collate "C"), '[]')
  from pg_constraint k where k.conrelid = c.oid and contype not in ('n', 't')`;

const INDEXES = `
select coalesce(json_agg(json_build_object('name', i.relname, 'definition', pg_get_indexdef(x.indexrelid))
         order by i.relname collate "C"), '[]')
  from pg_index x join pg_class i on i.oid = x.indexrelid
 where x.indrelid = c.oid and not exists (select from pg_constraint k where k.conindid = x.indexrelid and k.contype in ('p', 'u', 'x'))`;

const POLICIES = `
select coalesce(json_agg(json_build_object(
         'name', polname,
         'command', case polcmd when '*' then 'all' when 'r' then 'select' when 'a' then 'insert' when 'w' then 'update' else 'delete' end,
         'roles', (select json_agg(coalesce(r.rolname, 'public') order by r.rolname collate "C")
                     from unnest(polroles) as role_oid left join pg_roles r on r.oid = role_oid),
         'using', '(' || pg_get_expr(polqual, polrelid) || ')',
         'check', '(' || pg_get_expr(polwithcheck, polrelid) || ')'
       ) order by polname collate "C"), '[]')
  from pg_policy where polrelid = c.oid`;

const TRIGGERS = `
select coalesce(json_agg(json_build_object('name', tgname, 'definition', pg_get_triggerdef(t.oid)) order by tgname collate "C"), '[]')
  from pg_trigger t where t.tgrelid = c.oid and not tgisinternal`;

// Of the relation, and of columns of it.
const GRANTS = `
select coalesce(json_agg(json_build_object('grantee', grantee, 'privileges', privileges) order by grantee collate "C"), '[]')
  from (select coalesce(r.rolname, 'public') as grantee, json_agg(lower(g.privilege) || g.columns order by g.privilege collate "C") as privileges
          from (select grantee, privilege_type as privilege, '' as columns
                  from aclexplode(c.relacl)
                 union all
                select g.grantee, g.privilege_type, ' (' || string_agg(a.attname, ', ' order by a.attnum) || ')'
                  from pg_attribute a, aclexplode(a.attacl) g
                 where a.attrelid = c.oid and not a.attisdropped
                 group by 1, 2) g
               left join pg_roles r on r.oid = g.grantee
         where g.grantee <> c.relowner group by 1) listed`;

const SEQUENCE_GRANTS = `
select coalesce(json_agg(json_build_object('sequence', sequence, 'grantee', grantee, 'privileges', privileges)
         order by sequence collate "C", grantee collate "C"), '[]')
  from (select s.relname as sequence, coalesce(r.rolname, 'public') as grantee,
               json_agg(lower(g.privilege_type) order by g.privilege_type collate "C") as privileges
          from pg_depend d join pg_class s on s.oid = d.objid and s.relkind = 'S',
               aclexplode(s.relacl) g left join pg_roles r on r.oid = g.grantee
         where d.refobjid = c.oid and d.deptype = 'i' and g.grantee <> s.relowner group by 1, 2) listed`;

// Sequences of identity columns come and go with their columns.
const RELATIONS = `
select c.relname as name,
       case c.relkind when 'v' then 'view' when 'm' then 'materialized view' when 'S' then 'sequence' else 'table' end as kind,
       pg_get_userbyid(c.relowner) as owner,
       c.relpersistence = 'u' as unlogged,
       coalesce(to_json(c.reloptions), '[]') as options,
       c.relrowsecurity as rls,
       c.relforcerowsecurity as rls_forced,
       case when c.relkind in ('v', 'm') then pg_get_viewdef(c.oid) end as view_definition,
       (${COLUMNS}) as columns,
       (${CONSTRAINTS}) as constraints,
       (${INDEXES}) as indexes,
       (${POLICIES}) as policies,
       (${TRIGGERS}) as triggers,
       (${GRANTS}) as grants,
       (${SEQUENCE_GRANTS}) as sequence_grants
  from pg_class c
 where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p', 'v', 'm', 'S')
   and not exists (select from pg_depend d where d.objid = c.oid and d.deptype in ('e', 'i'))
 order by c.relname collate "C"`;

/** Reads as the system role, because row-level security holds for the owner too. */
async function readRows(client: pg.Client, relations: readonly Relation[]): Promise<InsertedRow[]> {
  const tables = relations.filter(({ name, kind }) => kind === 'table' && name !== 'schema_migration');
  const questions = tables.map(
    ({ name }) => `select '${name}' as table, row_to_json(t)::text as json from ${name} t`,
  );
  await client.query('set role spp_system');
  try {
    return (await client.query<InsertedRow>(questions.join(' union all '))).rows;
  } finally {
    await client.query('reset role');
  }
}

/** Reads the schema `public`, everything in a fixed order. */
export async function readCatalogue(client: pg.Client): Promise<Catalogue> {
  const domains = await client.query<Named>(DOMAINS);
  const functions = await client.query<Named>(FUNCTIONS);
  const { rows: relations } = await client.query<Relation>(RELATIONS);
  return {
    domains: domains.rows,
    functions: functions.rows,
    relations,
    rows: await readRows(client, relations),
  };
}
