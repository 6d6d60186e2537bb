/** Uploads beside a real scanner, where the machine has one. Source: docs/design/attachments.md#checks. */
import { Writable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { startTestApp, type TestApp, type TestSeller } from '../../../test/support/app.ts';
import { asOwner } from '../../../test/support/audit.ts';
import { hasClamd, MALWARE, startClamd } from '../../../test/support/clamd.ts';
import { PDF, PHOTO, pdfOf } from '../../../test/support/kyc.ts';

const upload = (seller: TestSeller, body: Uint8Array | string, type: string) =>
  seller.call<{ readonly scan?: string; readonly code?: string; readonly detail?: unknown }>(
    'POST',
    '/messages/attachments',
    { body, headers: { 'content-type': type } },
  );
const stored = async (app: TestApp, { seller_id }: TestSeller): Promise<number> =>
  (
    await asOwner(
      app,
      'select from attachment where seller_id = $1 union all select from file where seller_id = $1',
      [seller_id],
    )
  ).length;

describe.skipIf(!hasClamd)(`a real clamd${hasClamd ? '' : ' (skipped: install clamav-daemon)'}`, async () => {
  if (!hasClamd) return;
  const clamd = await startClamd();
  const lines: string[] = [];
  const output = new Writable({
    write(line: Buffer, _encoding, done) {
      lines.push(line.toString('utf8'));
      done();
    },
  });
  const app = await startTestApp({ SCANNER_URL: clamd.tcp, LOG_LEVEL: 'warn' }, output);
  const bySocket = await startTestApp({ SCANNER_URL: clamd.socket });
  const seller = await app.seller();

  test.each([
    ['a text', 'text/plain', Buffer.from('Delivered to the neighbour.')],
    ['an image', 'image/jpeg', PHOTO],
    ['a PDF', 'application/pdf', PDF],
  ])('finds %s clean', async (_, type, bytes) => {
    expect((await upload(seller, bytes, type)).body.scan).toBe('clean');
  });

  test('finds malware, of which nothing but a digest in the log is kept', async () => {
    const before = await stored(app, seller);
    for (const [body, type] of [
      [MALWARE, 'text/plain'],
      [pdfOf(MALWARE), 'application/pdf'],
    ] as const) {
      const { status, body: said } = await upload(seller, body, type);
      expect([status, said.detail]).toMatchObject([422, [{ type: 'attachment_infected' }]]);
    }
    expect(await stored(app, seller)).toBe(before);
    expect(lines.join('')).toMatch(/"sha256":"[0-9a-f]{64}".*malware/);
    expect(lines.join('')).not.toContain('EICAR');
    const other = await bySocket.seller();
    expect((await upload(other, MALWARE, 'text/plain')).status).toBe(422);
    expect((await upload(other, 'Thank you.', 'text/plain')).body.scan).toBe('clean');
  });

  test('takes nothing that the scanner cannot scan, is too large for it, or comes while it is stopped', async () => {
    const before = await stored(app, seller);
    const refused = [];
    for (const size of [700_000, 2_000_000])
      refused.push(await upload(seller, 'x'.repeat(size), 'text/plain'));
    await clamd.stop();
    refused.push(await upload(seller, 'Thank you.', 'text/plain'));
    expect(
      refused.map(({ status, body, headers }) => [status, body.code, headers.get('retry-after')]),
    ).toEqual(Array(3).fill([503, 'scan_unavailable', '30']));
    expect(await stored(app, seller)).toBe(before);
  });
});
