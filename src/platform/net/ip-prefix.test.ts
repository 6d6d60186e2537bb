import { expect, test } from 'vitest';
import { ipPrefix } from './ip-prefix.ts';

test.each([
  ['203.0.113.77', '203.0.113.0/24'],
  ['::ffff:203.0.113.77', '203.0.113.0/24'],
  ['2001:db8:7:8::9', '2001:db8:7::/48'],
  ['::1', '::/48'],
  ['unknown', null],
])('of %s is %s', (address, prefix) => expect(ipPrefix(address)).toBe(prefix));
