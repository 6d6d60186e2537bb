/** Ways to write a statement: fixed text with values, or Kysely where its shape depends on the input. */
import {
  type Compilable,
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
} from 'kysely';
import type { Statement } from '../../kernel/context.ts';
import type { DB } from './types.gen.ts';

/** A statement of fixed text; `$1…` are filled from `values`. */
export function sql<Row = unknown>(text: string, values: readonly unknown[] = []): Statement<Row> {
  return { text, values };
}

/** Kysely as a builder only: it compiles, the scoped handles execute (docs/adr/0001). */
export const qb = new Kysely<DB>({
  dialect: {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  },
});

/** The statement of a Kysely query, typed by its result. */
export function built<Row>(query: Compilable<Row>): Statement<Row> {
  const compiled = query.compile();
  return { text: compiled.sql, values: compiled.parameters };
}
