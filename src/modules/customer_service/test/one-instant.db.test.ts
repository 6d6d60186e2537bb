/** A clock that goes on while a request runs. Source: docs/design/customer-service.md#clocks. */
import { expect, test, vi } from 'vitest';
import { startTestApp, type TestSeller } from '../../../../test/support/app.ts';
import { asOwner } from '../../../../test/support/audit.ts';
import { opened, post } from '../../../../test/support/tickets.ts';

const app = await startTestApp();
const due = Date.now() + 300_000;
const respond_by = new Date(due).toISOString();

/** The clock begins so many milliseconds before the deadline, and each question costs one. */
async function answerFrom(seller: TestSeller, before: number) {
  const { ticket_id } = await opened(app, seller, { kind: 'marketplace_request', respond_by });
  let asked = 0;
  const clock = vi.spyOn(Date, 'now').mockImplementation(() => due - before + asked++);
  const { status } = await post(seller, `/${ticket_id}/replies`, { text: 'Done.' });
  clock.mockRestore();
  const [row] = await asOwner<{ is_met: boolean; in_time: boolean }>(
    app,
    `select outcome = 'met' as is_met, stopped_at <= $2::timestamptz as in_time
       from sla_clock
      where ticket_id = $1 and metric = 'response' and round = 1`,
    [ticket_id, respond_by],
  );
  return { status, ...row };
}

test('an answer around its deadline is judged by one instant, that of its clock', async () => {
  const seller = await app.seller();
  const judged = [];
  for (let before = 0; before <= 80; before += 4) judged.push(await answerFrom(seller, before));
  expect(judged.filter(({ status, is_met, in_time }) => status !== 201 || is_met !== in_time)).toEqual([]);
  expect(new Set(judged.map(({ is_met }) => is_met))).toEqual(new Set([true, false]));
});
