import { describe, expect, test } from 'vitest';
import { dialable, parseRanges } from './classify-address.ts';

const NO_RANGES = parseRanges([]);
/** The most that an operator can open. */
const EVERYTHING = parseRanges(['0.0.0.0/0', '::/0']);

test.each([
  ['8.8.8.8', '8.8.8.8'],
  ['203.0.114.1', '203.0.114.1'],
  ['2606:4700::1111', '2606:4700::1111'],
  ['2001:4860:4860::8888', '2001:4860:4860::8888'],
  ['::ffff:8.8.8.8', '8.8.8.8'],
])('%s is public and becomes %s', (text, dialled) => {
  expect(dialable(text, NO_RANGES)).toBe(dialled);
});

test.each([
  // this network, private, shared, loopback
  '0.0.0.0',
  '0.1.2.3',
  '10.0.0.1',
  '172.16.0.1',
  '172.31.255.255',
  '192.168.1.1',
  '100.64.0.1',
  '100.127.255.254',
  '127.0.0.1',
  '127.255.255.254',
  // protocol assignments, documentation, relays, benchmarks
  '192.0.0.8',
  '192.0.2.1',
  '192.88.99.1',
  '198.18.0.1',
  '198.19.255.255',
  '198.51.100.1',
  '203.0.113.1',
  // multicast, reserved, broadcast
  '224.0.0.1',
  '239.255.255.255',
  '240.0.0.1',
  '255.255.255.255',
  // IPv6: unspecified, loopback, link and site local, unique local, multicast
  '::',
  '::1',
  'fe80::1',
  'fe80::1%eth0',
  'fec0::1',
  'fc00::1',
  'fdff::1',
  'ff02::1',
  // IPv4 inside IPv6, for any inner address
  '::127.0.0.1',
  '::808:808',
  '::ffff:127.0.0.1',
  '::ffff:10.0.0.1',
  '::ffff:7f00:1',
  '::ffff:0:7f00:1',
  '64:ff9b::127.0.0.1',
  '64:ff9b::808:808',
  '64:ff9b:1::1',
  '2002:7f00:1::',
  '2002:808:808::',
  '2001::1',
  '2001:0:4136:e378:8000:63bf:3fff:fdd2',
  // documentation, discard, ORCHID, segment routing, not allocated
  '2001:db8::1',
  '3fff::1',
  '100::1',
  '2001:10::1',
  '2001:20::1',
  '5f00::1',
  '4000::1',
  '2620:4f:8000::1',
  // no addresses
  '',
  'localhost',
  '256.1.1.1',
  '2130706433x',
])('%s is refused', (text) => {
  expect(dialable(text, NO_RANGES)).toBeUndefined();
});

describe('the metadata services', () => {
  test.each([
    '169.254.169.254',
    '169.254.170.2',
    '100.100.100.200',
    '192.0.0.192',
    '168.63.129.16',
    'fd00:ec2::254',
    'fd20:ce::254',
    'fe80::a9fe:a9fe',
    '::ffff:169.254.169.254',
    '::ffff:a9fe:a9fe',
    '::a9fe:a9fe',
    '::ffff:0:a9fe:a9fe',
    '64:ff9b::a9fe:a9fe',
    '64:ff9b:1::a9fe:a9fe',
    // The same range with shorter prefixes: 48, 56 and 64 bits
    '64:ff9b:1:a9fe:a9:fe00::',
    '64:ff9b:1:a9:fe:a9fe::',
    '64:ff9b:1:0:a9:fea9:fe00:0',
    '2002:a9fe:a9fe::',
    // Teredo: the server in plain, the client with its bits inverted
    '2001:0:a9fe:a9fe::',
    '2001:0:4136:e378:8000:63bf:5601:5601',
  ])('%s is refused although everything is opened', (text) => {
    expect(dialable(text, EVERYTHING)).toBeUndefined();
  });
});

test('an operator allows ranges and single addresses, and no others', () => {
  const opened = parseRanges(['127.0.0.0/8', '::1/128', '10.1.2.3']);
  expect(dialable('127.0.0.1', opened)).toBe('127.0.0.1');
  expect(dialable('::ffff:127.0.0.1', opened)).toBe('127.0.0.1');
  expect(dialable('::1', opened)).toBe('::1');
  expect(dialable('10.1.2.3', opened)).toBe('10.1.2.3');
  expect(dialable('10.1.2.4', opened)).toBeUndefined();
  expect(dialable('192.168.0.1', opened)).toBeUndefined();
});
