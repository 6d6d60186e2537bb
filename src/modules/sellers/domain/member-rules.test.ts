import { expect, test } from 'vitest';
import { losesLastOwner, needsOwner, type TeamMember } from './member-rules.ts';

const owner = (member_id: string, status: TeamMember['status'] = 'active'): TeamMember => ({
  member_id,
  roles: ['owner'],
  status,
});

test.each([
  { from: [], to: ['admin'] },
  { from: [], to: ['viewer', 'owner'] },
  { from: ['admin'], to: ['viewer'] },
  { from: ['owner'], to: [] },
  { from: ['admin'], to: ['admin', 'finance'] },
] as const)('an admin cannot turn $from into $to', ({ from, to }) => {
  expect(needsOwner({ actorRoles: ['admin'], from, to })).toBe(true);
  expect(needsOwner({ actorRoles: ['owner'], from, to })).toBe(false);
});

test('an admin decides about every other member', () => {
  expect(needsOwner({ actorRoles: ['admin'], from: ['viewer'], to: ['catalogue', 'finance'] })).toBe(false);
  expect(needsOwner({ actorRoles: ['admin'], from: ['finance'], to: [] })).toBe(false);
});

test('the last active owner stays, whatever invitations and removals there are', () => {
  expect(losesLastOwner([owner('a')], 'a', [])).toBe(true);
  expect(losesLastOwner([owner('a'), owner('b', 'invited')], 'a', ['admin'])).toBe(true);
  expect(losesLastOwner([owner('a'), owner('b', 'removed')], 'a', ['admin'])).toBe(true);
  expect(losesLastOwner([owner('a'), owner('b')], 'a', ['admin'])).toBe(false);
  expect(losesLastOwner([owner('a')], 'a', ['owner', 'finance'])).toBe(false);
  expect(losesLastOwner([owner('a'), owner('b', 'invited')], 'b', [])).toBe(false);
});
