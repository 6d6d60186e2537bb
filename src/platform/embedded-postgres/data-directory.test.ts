import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { canReach, homeFor, newState, readState, sharedRoot, writeState } from './data-directory.ts';
import { EmbeddedServerError } from './embedded-server-error.ts';

let base = '';
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'spp-place-'));
});
afterEach(() => rmSync(base, { recursive: true }));

const stranger = { name: 'stranger', uid: 54_321, gid: 54_321 };

test('a closed directory anywhere above keeps others out, and not its owner or group', () => {
  const inner = join(base, 'closed', 'inner');
  mkdirSync(inner, { recursive: true });
  chmodSync(base, 0o755);
  expect(canReach(stranger, inner)).toBe(true);
  const { uid, gid } = statSync(inner);
  chmodSync(join(base, 'closed'), 0o710);
  expect(canReach(stranger, inner)).toBe(false);
  expect(canReach({ ...stranger, uid }, inner)).toBe(true);
  expect(canReach({ ...stranger, gid }, inner)).toBe(true);
  expect(canReach(stranger, join(base, 'not-yet', 'made'))).toBe(true);
});

test('an ordinary user keeps its data below its own directory', () => {
  expect(homeFor(base, undefined)).toBe(join(base, 'postgres'));
});

test('the shared directory is the first writable one; without one the error says what to do', () => {
  const unusable = join(base, 'absent');
  expect(sharedRoot([unusable, base])).toBe(join(base, 'seller-partner-service'));
  expect(() => sharedRoot([unusable])).toThrow(EmbeddedServerError);
  expect(() => sharedRoot([unusable])).toThrow('DATABASE_URL');
});

const FILE = 'embedded-postgres.json';

test('the next start reads the state file, and no other user can', () => {
  expect(readState(base)).toBeUndefined();
  const state = { ...newState(join(base, 'postgres')), port: 5433 };
  writeState(base, state);
  expect(readState(base)).toEqual(state);
  expect(statSync(join(base, FILE)).mode & 0o777).toBe(0o600);
});

test('passwords are new each time and long enough not to be guessed', () => {
  const states = [newState('/x'), newState('/x')];
  const passwords = new Set(states.flatMap((state) => [state.superuserPassword, state.loginPassword]));
  expect(passwords.size).toBe(4);
  for (const password of passwords) expect(password.length).toBeGreaterThanOrEqual(32);
});

test('a data directory can be moved with everything in it; a home outside stays where it is', () => {
  const moved = `${base}-moved`;
  writeState(base, newState(join(base, 'postgres')));
  renameSync(base, moved);
  expect(readState(moved)?.home).toBe(join(moved, 'postgres'));
  writeState(moved, newState('/var/lib/elsewhere'));
  renameSync(moved, base);
  expect(readState(base)?.home).toBe('/var/lib/elsewhere');
});

test.each(['', '{', 'null', '[]', '{"home":""}', '{"home":"/x","superuserPassword":1}'])(
  'a state file with the text %j fails the start and is not treated as absent',
  (text) => {
    writeFileSync(join(base, FILE), text);
    expect(() => readState(base)).toThrow(`Cannot read ${join(base, FILE)}`);
    expect(readFileSync(join(base, FILE), 'utf8')).toBe(text);
  },
);
