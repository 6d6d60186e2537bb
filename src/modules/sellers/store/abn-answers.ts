import type { Db } from '../../../kernel/context.ts';
import { sql } from '../../../platform/db/sql.ts';
import type { RegisterAnswer } from '../adapters/parse-answer.ts';

/**
 * A positive answer holds for a day, a negative one only shortly: new registrations appear
 * (docs/design/feeds-and-imports.md#business-numbers).
 */
export const FOUND_KEPT_MS = 24 * 3_600_000;
export const NOT_FOUND_KEPT_MS = 10 * 60_000;

export type Verdict = Exclude<RegisterAnswer, { readonly status: 'unavailable' }>;

export interface StoredAnswer {
  readonly answer: Verdict;
  /** RFC 3339. */
  readonly checked_at: string;
}

/** The register's answer, if it is still fresh. */
export async function readAnswer(db: Db, abn: string, now: number): Promise<StoredAnswer | undefined> {
  const row = await db.one<StoredAnswer>(
    sql('select answer, checked_at from abn_register_answer where abn = $1', [abn]),
  );
  if (row === undefined) return undefined;
  const keptMs = row.answer.status === 'found' ? FOUND_KEPT_MS : NOT_FOUND_KEPT_MS;
  const age = now - Date.parse(row.checked_at);
  return age >= 0 && age < keptMs ? row : undefined;
}

export async function storeAnswer(db: Db, abn: string, stored: StoredAnswer): Promise<void> {
  await db.run(
    sql(
      'insert into abn_register_answer (abn, answer, checked_at) values ($1, $2, $3) ' +
        'on conflict (abn) do update set answer = excluded.answer, checked_at = excluded.checked_at',
      [abn, JSON.stringify(stored.answer), stored.checked_at],
    ),
  );
}

/** Deletes expired answers; returns their number. */
export function deleteOldAnswers(db: Db, now: number): Promise<number> {
  return db.run(
    sql('delete from abn_register_answer where checked_at < $1', [
      new Date(now - FOUND_KEPT_MS).toISOString(),
    ]),
  );
}
