import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { ApiError } from '../../kernel/errors.ts';
import { jsonMistake } from './json-mistake.ts';
import { parseJsonBody, readJsonBody } from './read-body.ts';
import { compileBodyCheck } from './validate.ts';

const nested = (levels: number): string => `${'['.repeat(levels)}${']'.repeat(levels)}`;

function refusalOf(act: () => unknown): unknown {
  try {
    act();
  } catch (error) {
    return error instanceof ApiError ? error.body : error;
  }
  return undefined;
}

describe('a JSON body', () => {
  it('is read as it stands', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 8 }), (value) => {
        const text = JSON.stringify(value);
        if (text.includes('__proto__')) return;
        expect(parseJsonBody(Buffer.from(text))).toEqual(JSON.parse(text));
      }),
    );
  });

  it.each([65, 100_000])('nested %i levels deep is 422, not a stack that overflows', (levels) => {
    expect(refusalOf(() => parseJsonBody(Buffer.from(nested(levels))))).toMatchObject({
      detail: [{ loc: ['body'], type: 'json_invalid' }],
    });
  });

  it.each([
    ['{"a":b}', 'unexpected text at line 1, column 6'],
    ['{"password":"hunter2",\n  }', 'unexpected text at line 2, column 3'],
    ['[1 2]', 'unexpected text at line 1, column 4'],
    ['{"a" 1}', 'unexpected text at line 1, column 6'],
    ['{a:1}', 'unexpected text at line 1, column 2'],
    ['{"a":1}}', 'unexpected text at line 1, column 8'],
    ['"a\tb"', 'unexpected text at line 1, column 1'],
    ['["x", "\\q"]', 'unexpected text at line 1, column 7'],
    ['[01]', 'unexpected text at line 1, column 3'],
    ['[1,]', 'unexpected text at line 1, column 4'],
    ['{"a":', 'it ends too early'],
    ['["open', 'it ends too early'],
    [' ', 'it ends too early'],
    ['{"__proto__":1}', 'the key "__proto__" is not allowed'],
    [nested(65), 'it is nested deeper than 64 levels'],
  ])('that is wrong is refused with the place of the mistake, without its text: %j', (text, mistake) => {
    expect(refusalOf(() => parseJsonBody(Buffer.from(text)))).toMatchObject({
      detail: [{ msg: `The body is not valid JSON: ${mistake}.`, type: 'json_invalid' }],
    });
  });

  it('that is not UTF-8 says so', () => {
    expect(refusalOf(() => parseJsonBody(Buffer.from([0x22, 0xff, 0x22])))).toMatchObject({
      detail: [{ msg: 'The body is not valid JSON: it is not UTF-8.' }],
    });
  });

  it('has a mistake exactly where the engine finds one', () => {
    fc.assert(
      fc.property(
        fc.json({ maxDepth: 4 }),
        fc.nat(),
        fc.constantFrom('', ...'{}[],:"\\ \n0-1.e+tfn/'),
        (text, at, put) => {
          const place = at % (text.length + 1);
          const changed = text.slice(0, place) + put + text.slice(place + 1);
          let fails = false;
          try {
            JSON.parse(changed);
          } catch {
            fails = true;
          }
          expect(jsonMistake(changed) !== undefined).toBe(fails);
        },
      ),
      { numRuns: 2_000 },
    );
  });

  it('may nest 64 levels, and brackets inside of texts do not count', () => {
    expect(refusalOf(() => parseJsonBody(Buffer.from(nested(64))))).toBeUndefined();
    const text = `\\" ${'['.repeat(1_000)} \\\\`;
    expect(refusalOf(() => parseJsonBody(Buffer.from(`{"a":"${text}"}`)))).toBeUndefined();
  });
});

test.each([
  ['in its time', () => AbortSignal.timeout(50)],
  ['and whose time is over when it is asked for', () => AbortSignal.abort()],
])('a body that does not arrive %s is 408 on a connection that can still be answered', async (_, signal) => {
  const faults: unknown[] = [];
  const server = createServer((request, response) => {
    readJsonBody(request, 100, undefined, signal()).catch((error: unknown) => {
      faults.push(error instanceof ApiError ? [error.status, error.code] : error);
      response.writeHead(408).end();
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const socket = connect(port, '127.0.0.1');
  socket.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 10\r\n\r\n{');
  const [answer] = (await once(socket, 'data')) as [Buffer];
  expect(answer.toString()).toMatch(/^HTTP\/1.1 408 /);
  expect(faults).toEqual([[408, 'request_timeout']]);
  socket.destroy();
  server.close();
});

describe('the check of a body', () => {
  const check = compileBodyCheck({ type: 'object', properties: { price: { type: 'integer' } } });

  it('refuses a number that is too large, which JSON.parse reads as Infinity', () => {
    expect(refusalOf(() => check(parseJsonBody(Buffer.from('{"price":1e400}'))))).toMatchObject({
      detail: [{ loc: ['body', 'price'], type: 'integer_type' }],
    });
  });

  it('shows the value of an unknown key, not the whole body', () => {
    expect(refusalOf(() => check({ price: 1, plan: 'Big' }))).toMatchObject({
      detail: [{ loc: ['body', 'plan'], type: 'extra_forbidden', input: 'Big' }],
    });
  });
});
