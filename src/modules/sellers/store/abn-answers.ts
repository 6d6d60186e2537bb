import type { Db } from '../../../kernel/context.ts';
import { instant, json, type RowOf } from '../../../platform/db/columns.ts';
import { command, statement } from '../../../platform/db/statement.ts';
import type { RegisterAnswer } from '../adapters/parse-answer.ts';

/**
 * A positive answer is kept for a day, a negative one for ten minutes, because new registrations appear
 * (docs/design/feeds-and-imports.md#business-numbers).
 */
const FOUND_KEPT_MS = 24 * 3_600_000;
const NOT_FOUND_KEPT_MS = 10 * 60_000;

type Verdict = Exclude<RegisterAnswer, { readonly status: 'unavailable' }>;

const stored = { answer: json<Verdict>(), checked_at: instant };
export type StoredAnswer = RowOf<typeof stored>;

/** The register's answer, if it is still fresh. */
export async function readAnswer(db: Db, abn: string, now: number): Promise<StoredAnswer | undefined> {
  const row = await db.one(statement(stored)`
    select answer, checked_at
      from abn_register_answer
     where abn = ${abn}`);
  if (row === undefined) return undefined;
  const keptMs = row.answer.status === 'found' ? FOUND_KEPT_MS : NOT_FOUND_KEPT_MS;
  const age = now - Date.parse(row.checked_at);
  return age >= 0 && age < keptMs ? row : undefined;
}

export async function storeAnswer(db: Db, abn: string, { answer, checked_at }: StoredAnswer): Promise<void> {
  await db.run(command`
    insert into abn_register_answer (abn, answer, checked_at)
    values (${abn}, ${JSON.stringify(answer)}, ${checked_at})
        on conflict (abn) do update
       set answer = excluded.answer,
           checked_at = excluded.checked_at`);
}

/** Deletes expired answers; returns their number. */
export function deleteOldAnswers(db: Db, now: number): Promise<number> {
  return db.run(command`
    delete from abn_register_answer
     where checked_at < ${new Date(now - FOUND_KEPT_MS).toISOString()}`);
}
