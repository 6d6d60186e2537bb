import { expect, test } from 'vitest';
import { callInTrace, currentTrace, inTrace, readTrace, storedTrace, traceIdOf } from './trace-context.ts';

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const PARENT = `00-${TRACE}-b7ad6b7169203331-01`;

test('a trace is read with what other systems add', () => {
  const trace = readTrace(PARENT, 'congo=t61rcWkgMzE');
  expect(trace).toEqual({ traceparent: PARENT, tracestate: 'congo=t61rcWkgMzE' });
  expect(trace && traceIdOf(trace)).toBe(TRACE);
});

test.each([
  ['no text', undefined],
  ['another length', `${PARENT}0`],
  ['upper case', PARENT.toUpperCase()],
  ['no trace', `00-${'0'.repeat(32)}-b7ad6b7169203331-01`],
  ['no parent', `00-${TRACE}-${'0'.repeat(16)}-01`],
  ['the forbidden version', `ff${PARENT.slice(2)}`],
  ['more in version 00', `${PARENT}-more`],
])('%s counts as none', (_name, traceparent) => {
  expect(readTrace(traceparent)).toBeUndefined();
});

test('the known fields of a later version are passed on', () => {
  expect(readTrace(`01${PARENT.slice(2)}-more`)).toEqual({ traceparent: PARENT });
});

test('an invalid tracestate is left out', () => {
  for (const state of ['', 'a=\n', `a=${'b'.repeat(600)}`])
    expect(readTrace(PARENT, state)).toEqual({ traceparent: PARENT });
});

test('work inside a trace passes it on; other work has no headers', async () => {
  const sent: Readonly<Record<string, string>>[] = [];
  const call = () =>
    callInTrace(currentTrace(), { method: 'GET', url: new URL('http://a.test') }, async (headers) => {
      sent.push(headers);
      return { status: 200 };
    });
  const trace = { traceparent: PARENT, tracestate: 'a=b' };
  await Promise.all([inTrace(trace, call), call()]);
  expect(sent).toEqual([trace, {}]);
  expect([inTrace(trace, storedTrace), storedTrace()]).toEqual([{ traceparent: PARENT }, {}]);
});
