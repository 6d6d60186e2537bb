/**
 * Decides which addresses the service calls for sellers: public ones. The addresses of cloud metadata services are
 * refused in every notation, also when an operator allows their range. Source: docs/design/wire.md#outgoing-addresses,
 * OWASP API7:2023.
 */
import ipaddr from 'ipaddr.js';

type Address = ipaddr.IPv4 | ipaddr.IPv6;
export type Range = readonly [Address, number];

/** Never called: the services at these addresses hand out the machine's own credentials. */
const METADATA: readonly Range[] = [
  '169.254.0.0/16',
  'fe80::/10',
  '100.100.100.200/32',
  '192.0.0.192/32',
  '168.63.129.16/32',
  'fd00:ec2::/32',
  'fd20:ce::/32',
].map((range) => ipaddr.parseCIDR(range));

/** All global unicast addresses (RFC 4291); RFC 9637 reserves a part. */
const GLOBAL_IPV6: Range = ipaddr.parseCIDR('2000::/3');
const COMPATIBLE: Range = ipaddr.parseCIDR('::/96');
const LAST = [12, 13, 14, 15];
/** Translation prefixes of several lengths, so the IPv4 address has several places; byte 8 is never used (RFC 6052, 2.2). */
const TRANSLATED: Range = ipaddr.parseCIDR('64:ff9b:1::/48');
/** IPv6 forms that contain an IPv4 address, and its bytes. */
const WRAPPINGS: readonly {
  readonly range: Range;
  readonly at: readonly number[];
  readonly inverted?: true;
}[] = [
  { range: COMPATIBLE, at: LAST },
  { range: ipaddr.parseCIDR('::ffff:0:0/96'), at: LAST },
  { range: ipaddr.parseCIDR('::ffff:0:0:0/96'), at: LAST },
  { range: ipaddr.parseCIDR('64:ff9b::/96'), at: LAST },
  { range: TRANSLATED, at: [6, 7, 9, 10] },
  { range: TRANSLATED, at: [7, 9, 10, 11] },
  { range: TRANSLATED, at: [9, 10, 11, 12] },
  { range: TRANSLATED, at: LAST },
  { range: ipaddr.parseCIDR('2002::/16'), at: [2, 3, 4, 5] },
  { range: ipaddr.parseCIDR('2001::/32'), at: [4, 5, 6, 7] },
  { range: ipaddr.parseCIDR('2001::/32'), at: LAST, inverted: true },
];

const isInRange = (address: Address, [base, bits]: Range): boolean =>
  address.kind() === base.kind() && address.match(base, bits);

/** The address itself and every IPv4 address that it contains. */
function formsOf(address: Address): Address[] {
  if (address.kind() === 'ipv4') return [address];
  const bytes = address.toByteArray();
  const inner = WRAPPINGS.filter(({ range }) => isInRange(address, range)).map(({ at, inverted }) =>
    ipaddr.fromByteArray(at.map((place) => bytes[place] ?? 0).map((byte) => (inverted ? byte ^ 0xff : byte))),
  );
  return [address, ...inner];
}

/**
 * Reads ranges in CIDR notation; a bare address is a range of one.
 *
 * @throws Error for a text of another form, which the configuration refuses before
 */
export function parseRanges(texts: readonly string[]): Range[] {
  return texts.map((text) => {
    if (text.includes('/')) return ipaddr.parseCIDR(text);
    const address = ipaddr.parse(text);
    return [address, address.kind() === 'ipv4' ? 32 : 128];
  });
}

/**
 * Whether the service may connect to an address.
 *
 * @param text an IPv4 or IPv6 address
 * @param opened ranges that the operator allows although they are not public
 * @returns the address to connect to in canonical form, or undefined when it is refused
 */
export function dialable(text: string, opened: readonly Range[]): string | undefined {
  if (!ipaddr.isValid(text)) return undefined;
  const literal = ipaddr.parse(text);
  if (formsOf(literal).some((address) => METADATA.some((range) => isInRange(address, range))))
    return undefined;
  if (literal.kind() === 'ipv6' && isInRange(literal, COMPATIBLE) && literal.range() !== 'loopback')
    return undefined;
  const address = ipaddr.process(text);
  if (opened.some((range) => isInRange(address, range))) return address.toString();
  if (address.range() !== 'unicast') return undefined;
  return address.kind() === 'ipv4' || isInRange(address, GLOBAL_IPV6) ? address.toString() : undefined;
}
