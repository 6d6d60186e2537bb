/** The database itself keeps sellers apart, even if a statement of the service does not. */
import { readdirSync, readFileSync } from 'node:fs';
import type pg from 'pg';
import { describe, expect, test } from 'vitest';
import { createPool } from '../src/platform/db/pool.ts';
import { createWithSeller, createWithSystem } from '../src/platform/db/scope.ts';
import { testDatabase } from './support/pg.ts';
import { sql } from './support/sql.ts';
import { runOn } from './support/test-server.ts';

const RUNTIME_ROLES = ['spp_app', 'spp_system'];
const POLICY = "((seller_id)::text = NULLIF(current_setting('app.seller_id'::text, true), ''::text))";

const database = await testDatabase();
const admin = <Row extends pg.QueryResultRow>(text: string, values: unknown[] = []): Promise<Row[]> =>
  runOn(database.adminUrl, async (client) => (await client.query<Row>(text, values)).rows);

/** Tables that belong to no seller, with the reason that their migration states. */
function optOuts(): Map<string, string> {
  const directory = new URL('../db/migrations/', import.meta.url);
  const texts = readdirSync(directory)
    .filter((name) => name.endsWith('.sql'))
    .map((name) => readFileSync(new URL(name, directory), 'utf8'));
  const pattern = /^-- not a seller table: (.+)\n(?:--.*\n)*create (?:unlogged )?table (\w+)/gm;
  return new Map(
    texts.flatMap((text) =>
      [...text.matchAll(pattern)].map(([, reason = '', name = '']) => [name, reason] as const),
    ),
  );
}

interface Table {
  readonly name: string;
  readonly has_seller: boolean;
  readonly rls: boolean;
  readonly forced: boolean;
  readonly owner: string;
  readonly policies: readonly {
    name: string;
    command: string;
    roles: string[];
    using: string;
    check: string;
    permissive: boolean;
  }[];
  readonly unique_keys: readonly { name: string; first: string | null }[];
  readonly grants: readonly { grantee: string; privilege: string }[];
}

const tables = await admin<Table>(`
  select c.relname as name,
         exists (select from pg_attribute a where a.attrelid = c.oid and a.attname = 'seller_id' and not a.attisdropped) as has_seller,
         c.relrowsecurity as rls, c.relforcerowsecurity as forced, pg_get_userbyid(c.relowner) as owner,
         (select coalesce(json_agg(json_build_object('name', polname, 'command', polcmd, 'permissive', polpermissive,
             'roles', (select json_agg(rolname) from pg_roles where oid = any (polroles)),
             'using', pg_get_expr(polqual, polrelid), 'check', pg_get_expr(polwithcheck, polrelid)) order by polname), '[]')
            from pg_policy where polrelid = c.oid) as policies,
         (select coalesce(json_agg(json_build_object('name', i.indexrelid::regclass::text, 'first',
             (select attname from pg_attribute where attrelid = c.oid and attnum = i.indkey[0]))), '[]')
            from pg_index i where i.indrelid = c.oid and i.indisunique) as unique_keys,
         (select coalesce(json_agg(json_build_object('grantee', coalesce(r.rolname, 'public'), 'privilege', g.privilege_type)), '[]')
            from aclexplode(c.relacl) g left join pg_roles r on r.oid = g.grantee where g.grantee <> c.relowner) as grants
    from pg_class c
   where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and c.relname <> 'schema_migration'
   order by c.relname`);

const optedOut = optOuts();
const sellerTables = tables.filter(({ name }) => !optedOut.has(name));
const namesWhere = (wrong: (table: Table) => boolean, among: readonly Table[] = sellerTables): string[] =>
  among.filter(wrong).map(({ name }) => name);

test('the template of a migration makes a table of sellers', async () => {
  const template = readFileSync(new URL('../db/migration-template.sql', import.meta.url), 'utf8');
  const words: Record<string, string> = {
    module: 'faqs',
    title: 'Questions',
    table: 'template_probe',
    key: 'probe_id',
  };
  const text = template.replaceAll(/\{\{(\w+)\}\}/g, (hole, name: string) => words[name] ?? hole);
  expect(text).not.toContain('{{');
  const policies = await runOn(database.adminUrl, async (client) => {
    await client.query(`begin; set local role spp_migration; ${text}`);
    const { rows } = await client.query(
      "select polname from pg_policy where polrelid = 'template_probe'::regclass",
    );
    await client.query('rollback');
    return rows;
  });
  expect(policies).toEqual([{ polname: 'seller' }, { polname: 'system' }]);
});

describe('every table', () => {
  test('belongs to sellers or says why not', () => {
    expect(tables.length).toBeGreaterThan(10);
    expect(namesWhere(({ has_seller }) => !has_seller)).toEqual([]);
    expect([...optedOut.keys()].filter((name) => !tables.some((table) => table.name === name))).toEqual([]);
    expect([...optedOut.values()].filter((reason) => reason.length < 20)).toEqual([]);
  });

  test('is owned by the role of the migrations', () => {
    expect(namesWhere(({ owner }) => owner !== 'spp_migration', tables)).toEqual([]);
  });

  test('grants rows and nothing else, to the two roles of the service only', () => {
    const allowed = new Set(['SELECT', 'INSERT', 'UPDATE', 'DELETE']);
    const wrong = tables.flatMap(({ name, grants }) =>
      grants
        .filter(({ grantee, privilege }) => !allowed.has(privilege) || !RUNTIME_ROLES.includes(grantee))
        .map(({ grantee, privilege }) => `${name}: ${privilege} to ${grantee}`),
    );
    expect(wrong).toEqual([]);
  });

  test('without a seller is closed to sellers, or protected nevertheless', () => {
    const open = ({ rls, forced, grants }: Table): boolean =>
      grants.some(({ grantee }) => grantee === 'spp_app') && !(rls && forced);
    expect(
      namesWhere(
        open,
        tables.filter(({ name }) => optedOut.has(name)),
      ),
    ).toEqual([]);
  });
});

describe('every seller table', () => {
  test('has row-level security, for its owner too', () => {
    expect(namesWhere(({ rls, forced }) => !rls || !forced)).toEqual([]);
  });

  test('has exactly the two policies of the template', () => {
    const seller = {
      name: 'seller',
      command: '*',
      permissive: true,
      roles: ['spp_app'],
      using: POLICY,
      check: POLICY,
    };
    const system = {
      name: 'system',
      command: '*',
      permissive: true,
      roles: ['spp_system'],
      using: 'true',
      check: 'true',
    };
    for (const { name, policies } of sellerTables) {
      const bare = policies.map((policy) => ({
        ...policy,
        using: policy.using.replaceAll(/^\(|\)$/g, ''),
        check: policy.check.replaceAll(/^\(|\)$/g, ''),
      }));
      const expected = [seller, system].map((policy) => ({
        ...policy,
        using: policy.using.replaceAll(/^\(|\)$/g, ''),
        check: policy.check.replaceAll(/^\(|\)$/g, ''),
      }));
      expect(bare, name).toEqual(expected);
    }
  });

  test('has the seller first in its primary key and in every unique key', () => {
    const wrong = sellerTables.flatMap(({ unique_keys }) =>
      unique_keys.filter(({ first }) => first !== 'seller_id').map(({ name }) => name),
    );
    expect(wrong).toEqual([]);
    expect(namesWhere(({ unique_keys }) => unique_keys.length === 0)).toEqual([]);
  });

  test('refers to other seller tables together with the seller', async () => {
    const keys = await admin<{
      name: string;
      source: string;
      target: string;
      columns: string[];
      targets: string[];
    }>(`
      select conname as name, conrelid::regclass::text as source, confrelid::regclass::text as target,
             (select json_agg(a.attname order by k.ord) from unnest(conkey) with ordinality k (num, ord) join pg_attribute a on a.attrelid = conrelid and a.attnum = k.num) as columns,
             (select json_agg(a.attname order by k.ord) from unnest(confkey) with ordinality k (num, ord) join pg_attribute a on a.attrelid = confrelid and a.attnum = k.num) as targets
        from pg_constraint where contype = 'f'`);
    const names = new Set(sellerTables.map(({ name }) => name));
    const between = keys.filter(({ source, target }) => names.has(source) && names.has(target));
    expect(between.length).toBeGreaterThan(0);
    expect(
      between.filter(({ columns, targets }) => columns[0] !== 'seller_id' || targets[0] !== 'seller_id'),
    ).toEqual([]);
  });
});

describe('no way around row-level security', () => {
  test('the roles have no power beyond their grants', async () => {
    const { pathname, username } = new URL(database.url);
    const roles = await admin<Record<string, unknown>>(
      `select rolname, rolsuper, rolbypassrls, rolinherit, rolcreaterole, rolcreatedb, rolreplication, rolcanlogin,
              (select count(*)::int from pg_class where relowner = r.oid) as owns
         from pg_roles r where rolname = any ($1) order by rolname`,
      [[...RUNTIME_ROLES, username]],
    );
    expect(pathname.length).toBeGreaterThan(1);
    expect(roles).toHaveLength(3);
    for (const { rolname, rolcanlogin, ...powers } of roles) {
      expect(rolcanlogin).toBe(rolname === username);
      expect(powers, String(rolname)).toEqual({
        rolsuper: false,
        rolbypassrls: false,
        rolinherit: false,
        rolcreaterole: false,
        rolcreatedb: false,
        rolreplication: false,
        owns: 0,
      });
    }
    const members = await admin<{ role: string }>(
      'select r.rolname as role from pg_auth_members m join pg_roles r on r.oid = m.roleid join pg_roles l on l.oid = m.member where l.rolname = $1 order by 1',
      [username],
    );
    expect(members.map(({ role }) => role)).toEqual(RUNTIME_ROLES);
  });

  test('views use the rights of their reader', async () => {
    const views = await admin<{ name: string }>(
      `select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind in ('v', 'm')
          and (relkind = 'm' or not coalesce(reloptions, '{}') && array['security_invoker=true', 'security_invoker=on'])`,
    );
    expect(views).toEqual([]);
  });

  test('no function runs with the rights of its owner', async () => {
    expect(
      await admin("select proname from pg_proc where pronamespace = 'public'::regnamespace and prosecdef"),
    ).toEqual([]);
  });
});

const log = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };

describe('at work', async () => {
  const INSTANT = '2026-01-01T00:00:00.000Z';
  const ONE = 'slr_one';
  const OTHER = 'slr_other';
  /** One connection, so that each scope would see the settings of the one before. */
  const pool = createPool({ url: database.url, max: 1, name: 'tenancy', log });
  const withSeller = createWithSeller(pool);
  const withSystem = createWithSystem(pool, ['register-seller']);

  const NEW_SELLER = `insert into seller (seller_id, business_name, tax_id, tax_id_check, status, verified, api_access, plan, created_at, updated_at)
    values ($1, 'Goods', '1', 'not_abn', 'active', true, true, 'Free', $2, $2)`;
  const NEW_MEMBER = `insert into team_member (seller_id, member_id, roles, status, created_at, updated_at) values ($1, $2, '{viewer}', 'active', $3, $3)`;
  const NEW_FILE = `insert into file (seller_id, file_id, purpose, content_type, bytes, sha256, created_at) values ($1, $2, 'test', 'text/plain', 0, '', $3)`;
  const members = sql<{ seller_id: string; member_id: string }>(
    'select seller_id, member_id from team_member',
  );
  for (const id of [ONE, OTHER]) {
    await withSystem('register-seller', 'write', (db) => db.run(sql(NEW_SELLER, [id, INSTANT])));
    await withSeller(id, 'write', (db) => db.run(sql(NEW_MEMBER, [id, `mem_${id}`, INSTANT])));
    await withSeller(id, 'write', (db) => db.run(sql(NEW_FILE, [id, `fil_${id}`, INSTANT])));
  }
  test('a seller sees only its own rows, even if the statement names another seller', async () => {
    expect(await withSeller(ONE, 'read', (db) => db.all(members))).toEqual([
      { seller_id: ONE, member_id: `mem_${ONE}` },
    ]);
    expect(
      await withSeller(ONE, 'read', (db) =>
        db.all(sql('select 1 from seller where seller_id = $1', [OTHER])),
      ),
    ).toEqual([]);
    expect(await withSystem('jobs', 'read', (db) => db.all(members))).toHaveLength(2);
  });

  test('a row for another seller is refused', async () => {
    await expect(
      withSeller(ONE, 'write', (db) => db.run(sql(NEW_MEMBER, [OTHER, 'mem_x', INSTANT]))),
    ).rejects.toThrow(/row-level security/);
  });

  test('a row cannot move to another seller', async () => {
    const give = sql('update team_member set seller_id = $1', [OTHER]);
    await expect(withSeller(ONE, 'write', (db) => db.run(give))).rejects.toThrow(/row-level security/);
    const take = sql('update team_member set seller_id = $1 where seller_id = $2', [ONE, OTHER]);
    expect(await withSeller(ONE, 'write', (db) => db.run(take))).toBe(0);
    expect(
      await withSeller(ONE, 'write', (db) =>
        db.run(sql('delete from team_member where seller_id = $1', [OTHER])),
      ),
    ).toBe(0);
  });

  test('an upsert does not reach another seller’s row', async () => {
    const upsert = sql(`${NEW_MEMBER} on conflict (seller_id, member_id) do update set roles = '{owner}'`, [
      OTHER,
      `mem_${OTHER}`,
      INSTANT,
    ]);
    await expect(withSeller(ONE, 'write', (db) => db.run(upsert))).rejects.toThrow(/row-level security/);
  });

  test('a reference to another seller’s row is refused, because the key has the seller in it', async () => {
    const chunk = sql('insert into file_chunk (seller_id, file_id, seq, data) values ($1, $2, 0, $3)', [
      ONE,
      `fil_${OTHER}`,
      Buffer.from('x'),
    ]);
    await expect(withSeller(ONE, 'write', (db) => db.run(chunk))).rejects.toThrow(/foreign key/);
  });

  test('a seller may add jobs only for itself', async () => {
    const add = (seller: string | null) =>
      sql("insert into job (job_id, kind, seller_id, due_at, created_at) values ($1, 'x', $2, $3, $3)", [
        `job_${seller}`,
        seller,
        INSTANT,
      ]);
    await withSeller(ONE, 'write', (db) => db.run(add(ONE)));
    await expect(withSeller(ONE, 'write', (db) => db.run(add(OTHER)))).rejects.toThrow(/row-level security/);
    await expect(withSeller(ONE, 'write', (db) => db.run(add(null)))).rejects.toThrow(/row-level security/);
  });

  test.each(['read', 'snapshot', 'write'] as const)(
    'a scope (%s) ends with its last statement and leaves no seller behind',
    async (mode) => {
      await withSeller(ONE, mode, (db) => db.all(members));
      const client = await pool.connect();
      try {
        const left = await client.query(
          "select current_user as name, current_setting('app.seller_id', true) as seller",
        );
        // A direct session keeps the role of sellers, which sees no row without a seller (docs/adr/0025).
        expect(left.rows).toEqual([{ name: 'spp_app', seller: '' }]);
        expect((await client.query(members.text)).rows).toEqual([]);
      } finally {
        client.release();
      }
    },
  );

  test('a used connection without a seller sees and writes nothing', async () => {
    await withSeller(ONE, 'read', (db) => db.all(members));
    const client = await pool.connect();
    try {
      await client.query('begin; set local role spp_app');
      expect((await client.query(members.text)).rows).toEqual([]);
      await expect(client.query(NEW_MEMBER, ['', 'mem_y', INSTANT])).rejects.toThrow(/row-level security/);
    } finally {
      await client.query('rollback');
      client.release();
    }
  });

  test.each(['spp_migration', new URL(database.adminUrl).username])(
    'the login cannot become %s',
    async (role) => {
      await expect(runOn(database.url, (client) => client.query(`set role ${role}`))).rejects.toThrow(
        /permission denied/,
      );
    },
  );

  test('a seller’s scope cannot read the tables of the system', async () => {
    for (const { name, grants } of tables.filter((table) => optedOut.has(table.name))) {
      if (grants.some(({ grantee }) => grantee === 'spp_app')) continue;
      await expect(
        withSeller(ONE, 'read', (db) => db.all(sql(`select 1 from ${name}`))),
        name,
      ).rejects.toThrow(/permission denied/);
    }
    await expect(withSeller(ONE, 'write', (db) => db.run(sql('truncate team_member')))).rejects.toThrow(
      /permission denied/,
    );
  });

  test('a failed statement rolls back, and the next scope is unaffected', async () => {
    await expect(
      withSeller(ONE, 'write', async (db) => {
        await db.run(sql(NEW_MEMBER, [ONE, 'mem_z', INSTANT]));
        await db.run(sql('select 1 / 0'));
      }),
    ).rejects.toThrow(/division by zero/);
    expect(await withSeller(OTHER, 'read', (db) => db.all(members))).toEqual([
      { seller_id: OTHER, member_id: `mem_${OTHER}` },
    ]);
    expect(await withSeller(ONE, 'read', (db) => db.all(members))).toHaveLength(1);
  });

  test('the pool ends', async () => {
    await pool.end();
  });
});
