/** The terms of the program. They are the same for all sellers, and every scope may read them. */
import type { Db } from '../../../kernel/context.ts';
import { date, instant, integer, type RowOf, text } from '../../../platform/db/columns.ts';
import { command, raw, statement } from '../../../platform/db/statement.ts';

const columns = {
  version: text,
  name: text,
  effective_from: date,
  points_per_major: integer,
  notice_days: integer,
  terms_url: text,
  terms_sha256: text,
  published_at: instant,
  /** When the service learned of it. */
  recorded_at: instant,
};
export type Program = RowOf<typeof columns>;
const LIST = raw(Object.keys(columns).join(', '));

/** All terms, the earliest first. */
export const allPrograms = (db: Db): Promise<Program[]> =>
  db.all(statement(columns)`
    select ${LIST}
      from loyalty_program
     order by effective_from, published_at, version`);

/** The terms in force on a Sydney day; before any, the first to come. */
export function programOn(programs: readonly Program[], day: string): Program | undefined {
  return programs.findLast(({ effective_from }) => effective_from <= day) ?? programs[0];
}

/** Stores terms, in the system's scope. @returns false if the version exists */
export async function insertProgram(db: Db, row: Program): Promise<boolean> {
  const added = await db.run(command`
    insert into loyalty_program (${LIST})
    values (${row.version}, ${row.name}, ${row.effective_from}::date, ${row.points_per_major},
            ${row.notice_days}, ${row.terms_url}, ${row.terms_sha256}, ${row.published_at}, ${row.recorded_at})
        on conflict (version) do nothing`);
  return added === 1;
}
