/** A sealer that stands still. */
import { expect, test } from 'vitest';
import { startTestApp } from '../../../../test/support/app.ts';
import { asOwner } from '../../../../test/support/audit.ts';

// Without a worker.
const app = await startTestApp({ ROLE: 'api' });

test('the metrics say how old the oldest entry is that is not sealed', async () => {
  const { seller_id } = await app.seller();
  await asOwner(
    app,
    `insert into audit_entry (seller_id, audit_id, at, actor_kind, action, result)
     values ($1, 'aud_old', $2::timestamptz - interval '90 s', 'member', 'x', 'done')`,
    [seller_id, new Date(app.app.services.now()).toISOString()],
  );
  const headers = { authorization: `Bearer ${app.internalToken}` };
  const text = await (await fetch(`${app.internalUrl}/metrics`, { headers })).text();
  const [, seconds] = /^spp_activity_log_delay_seconds\{state="unsealed"\} ([\d.]+)$/m.exec(text) ?? [];
  expect(Number(seconds)).toBeGreaterThanOrEqual(90);
});
