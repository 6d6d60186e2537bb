import { expect, test } from 'vitest';
import { findUser, parsePasswd, passwdLines } from './system-user.ts';

const PASSWD = [
  'root:x:0:0:root:/root:/bin/sh',
  '',
  'nonsense',
  'pg:x:101:104:,,,:/var/lib/pg:/bin/sh',
  '',
].join('\n');

test('root and malformed lines are left out', () => {
  expect(parsePasswd(PASSWD)).toEqual([{ name: 'pg', uid: 101, gid: 104 }]);
});

test('a user is found by name in the file, and unknown names are not found', () => {
  expect(findUser('pg', PASSWD)).toEqual({ name: 'pg', uid: 101, gid: 104 });
  expect(findUser('no-such-user-here', PASSWD)).toBeUndefined();
});

test('a user made by hand takes a number that neither file has', () => {
  const lines = passwdLines(`${PASSWD}a:x:200:200::/:/bin/sh\n`, 'wheel:x:201:\n');
  expect(parsePasswd(lines.passwd)).toEqual([{ name: 'spp-postgres', uid: 202, gid: 202 }]);
  expect(lines.group).toBe('spp-postgres:x:202:\n');
});
