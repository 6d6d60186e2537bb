import { expect, test } from 'vitest';
import { createLog } from './log.ts';

function written(
  write: (log: ReturnType<typeof createLog>) => void,
  level = 'debug',
): Record<string, unknown>[] {
  const lines: string[] = [];
  write(createLog(level, { write: (line: string) => void lines.push(line) }));
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
}

test('a line is one JSON object with level, instant and message', () => {
  const [line] = written((log) => log.warn({ pool: 'short' }, 'idle connection lost'));
  expect(line).toEqual({
    level: 'warn',
    time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    pool: 'short',
    message: 'idle connection lost',
  });
  expect(written((log) => log.info('quiet'), 'warn')).toEqual([]);
});

test.each(['authorization', 'cookie', 'token', 'marketplace_token', 'access_token', 'password', 'secret'])(
  '%s is removed, also further down',
  (name) => {
    const secret = { [name]: 'hunter2' };
    const text = JSON.stringify(
      written((log) => {
        log.info(secret, 'x');
        log.info({ headers: secret }, 'x');
        log.info({ request: { headers: secret } }, 'x');
      }),
    );
    expect(text).not.toContain('hunter2');
    expect(text.match(/\[removed\]/g)).toHaveLength(3);
  },
);

test('requests and responses are not logged as a whole', () => {
  const [line] = written((log) => log.info({ req: { headers: { a: 'hunter2' } }, res: {} }, 'x'));
  expect(line).toEqual({ level: 'info', time: expect.any(String), message: 'x' });
});

test('an error is logged with stack and cause, without values of rows', () => {
  const cause = Object.assign(new Error('duplicate key'), {
    code: '23505',
    constraint: 'seller_pkey',
    detail: 'Key (email)=(kim@example.com) already exists.',
  });
  const [line] = written((log) => log.error({ err: new Error('no', { cause }) }, 'request failed'));
  expect(line).toMatchObject({
    err: { name: 'Error', message: 'no', stack: expect.stringContaining('log.test.ts') },
  });
  expect(line).toMatchObject({ err: { cause: { code: '23505', constraint: 'seller_pkey' } } });
  expect(JSON.stringify(line)).not.toContain('kim@example.com');
  expect(written((log) => log.warn({ err: 'in words' }, 'x'))[0]).toMatchObject({ err: 'in words' });
});
