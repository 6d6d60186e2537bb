/** Versions of the marketplace's terms. They are the same for all sellers, and every scope may read them. */
import type { Db } from '../../../kernel/context.ts';
import { date, instant, nullable, type RowOf, text, texts } from '../../../platform/db/columns.ts';
import { allOf, command, type Part, part, raw, statement } from '../../../platform/db/statement.ts';

const columns = {
  version: text,
  title: text,
  text: nullable(text),
  text_sha256: text,
  url: text,
  effective_on: date,
  reacceptance_by: nullable(date),
  summary_of_changes: texts,
  published_at: instant,
  received_at: instant,
};
export type AgreementVersion = RowOf<typeof columns>;

const LIST = raw(Object.keys(columns).join(', '));
const PLACE = raw('(effective_on, published_at, version)');

/** Newest first: by their first day, then by the instant of their publication. */
const select = (where: Part | undefined, limit: number) => statement(columns)`
  select ${LIST}
    from agreement_version
   where ${allOf(where)}
   order by effective_on desc, published_at desc, version desc
   limit ${limit}`;

/** @param after place of the last version of the page before */
export function listVersions(
  db: Db,
  after: readonly (string | number)[] | undefined,
  limit: number,
): Promise<AgreementVersion[]> {
  const [day, at, version] = after ?? [];
  const older = after && part`${PLACE} < (${day}::date, ${at}::timestamptz, ${version})`;
  return db.all(select(older, limit));
}

export const placeOf = ({ effective_on, published_at, version }: AgreementVersion) => [
  effective_on,
  published_at,
  version,
];

/** The version that holds for everybody; undefined if none was published. */
export const newestVersion = (db: Db): Promise<AgreementVersion | undefined> => db.one(select(undefined, 1));

export const findVersion = (db: Db, version: string): Promise<AgreementVersion | undefined> =>
  db.one(select(part`version = ${version}`, 1));

/** Stores a version, in the system's scope. @returns false if it exists */
export async function insertVersion(db: Db, row: AgreementVersion): Promise<boolean> {
  const added = await db.run(command`
    insert into agreement_version (${LIST})
    values (${row.version}, ${row.title}, ${row.text}, ${row.text_sha256}, ${row.url}, ${row.effective_on}::date,
            ${row.reacceptance_by}::date, ${row.summary_of_changes}, ${row.published_at}, ${row.received_at})
        on conflict (version) do nothing`);
  return added === 1;
}
