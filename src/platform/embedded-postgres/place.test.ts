import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { EmbeddedServerError } from './embedded-server-error.ts';
import { canReach, homeFor, sharedRoot } from './place.ts';

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

test('the shared place is the first that can be written, and none is an error with a way out', () => {
  const unusable = join(base, 'absent');
  expect(sharedRoot([unusable, base])).toBe(join(base, 'seller-partner-service'));
  expect(() => sharedRoot([unusable])).toThrow(EmbeddedServerError);
  expect(() => sharedRoot([unusable])).toThrow('DATABASE_URL');
});
