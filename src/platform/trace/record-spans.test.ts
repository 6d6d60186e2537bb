import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { recordSpans } from './record-spans.ts';

test('a collector that refuses the spans causes one warning, and no other effect', async () => {
  const collector = createServer((_request, response) => response.writeHead(400).end());
  await new Promise<void>((resolve) => collector.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void collector.close());
  const warnings: unknown[] = [];
  const nothing = () => undefined;
  const log = {
    debug: nothing,
    info: nothing,
    error: nothing,
    warn: (...line: unknown[]) => warnings.push(line),
  };
  const tracer = recordSpans({
    endpoint: `http://127.0.0.1:${(collector.address() as AddressInfo).port}`,
    headers: {},
    serviceName: 'test',
    share: 1,
    delayMs: 1,
    log,
  });
  const span = tracer.begin('request', undefined);
  expect(span?.trace.traceparent).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/);
  span?.end('GET thing', {}, undefined);
  const warning = [{ reason: 'Bad Request' }, 'spans could not be sent'];
  await expect.poll(() => warnings).toEqual([warning]);
  tracer.begin('request', undefined)?.end('GET thing', {}, undefined);
  await tracer.stop();
  expect(warnings).toEqual([warning, warning]);
});
