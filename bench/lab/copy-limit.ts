/**
 * What PostgreSQL itself needs for the same catalogue: COPY into a staging table, then INSERT … ON CONFLICT DO
 * UPDATE of the same columns into the same tables, with their indexes and triggers, in one durable transaction.
 */
import pg from 'pg';
import { copyIn, copyOut } from './copy.ts';

const STOCK = ['quantity_on_hand', 'quantity_reserved', 'reorder_point'] as const;

export interface CopyLimit {
  /** Reads the catalogue that the service has just written, as the data that the limit writes. */
  take(sellerId: string): Promise<Buffer[]>;
  /** Writes it for the limit's own seller; `changedOnly` skips rows that are equal already. */
  write(data: readonly Buffer[], changedOnly: boolean): Promise<void>;
  stop(): Promise<void>;
}

async function columnsOf(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    "select attname as name from pg_attribute where attrelid = 'product'::regclass and attnum > 0 and not attisdropped order by attnum",
  );
  return rows.map(({ name }) => name);
}

function statements(columns: readonly string[]) {
  const content = columns.filter((name) => !['seller_id', 'product_id', 'created_at'].includes(name));
  const compared = content.filter((name) => !['version', 'updated_at', 'source_run_id'].includes(name));
  const list = columns.join(', ');
  const different =
    ` where (${compared.map((name) => `p.${name}`).join(', ')}) is distinct from ` +
    `(${compared.map((name) => `excluded.${name}`).join(', ')})`;
  const stock = STOCK.join(', ');
  return {
    staging:
      `create temp table staging as select p.*, ${STOCK.map((name) => `i.${name}`).join(', ')} ` +
      'from product p join inventory i using (seller_id, product_id) with no data',
    copy: `copy staging (${list}, ${stock}) from stdin`,
    product: (changedOnly: boolean) =>
      `insert into product as p (${list}) select ${list} from staging on conflict (seller_id, seller_sku) do update set ` +
      `${content.map((name) => `${name} = excluded.${name}`).join(', ')}${changedOnly ? different : ''}`,
    inventory: (changedOnly: boolean) =>
      `insert into inventory as i (seller_id, product_id, ${stock}, updated_at) select seller_id, product_id, ${stock}, updated_at ` +
      'from staging on conflict (seller_id, product_id) do update set ' +
      `${STOCK.map((name) => `${name} = excluded.${name}`).join(', ')}, version = i.version + 1, updated_at = excluded.updated_at` +
      (changedOnly
        ? ` where (${STOCK.map((name) => `i.${name}`)}) is distinct from (${STOCK.map((name) => `excluded.${name}`)})`
        : ''),
  };
}

/** @param sellerId the limit's own seller, so that both write the same amount into the same tables */
export async function openCopyLimit(url: string, sellerId: string): Promise<CopyLimit> {
  const client = new pg.Client({ connectionString: url, application_name: 'bench-limit' });
  // If the server ends first, the next statement fails and reports it.
  client.on('error', () => undefined);
  await client.connect();
  const columns = await columnsOf(client);
  const sql = statements(columns);
  const own = columns.map((name) => (name === 'seller_id' ? `'${sellerId}'` : `p.${name}`)).join(', ');
  return {
    take: (from) =>
      copyOut(
        client,
        `copy (select ${own}, ${STOCK.map((name) => `i.${name}`).join(', ')} from product p ` +
          `join inventory i using (seller_id, product_id) where seller_id = '${from}') to stdout`,
      ),
    async write(data, changedOnly) {
      await client.query('begin');
      await client.query(sql.staging);
      await copyIn(client, sql.copy, data);
      await client.query(sql.product(changedOnly));
      await client.query(sql.inventory(changedOnly));
      await client.query('drop table staging');
      await client.query('commit');
    },
    stop: () => client.end(),
  };
}
