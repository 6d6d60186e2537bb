import ipaddr from 'ipaddr.js';

/** Bits of an address that the activity log keeps: enough to recognise a network, too little to name a person. */
const PREFIX_BITS = { ipv4: 24, ipv6: 48 } as const;

/** Bits of an IPv6 address that name a network; a machine has many addresses in it (RFC 4291, 2.5.4; RFC 8981). */
const NETWORK_BITS = 64;

const prefixOf = (address: ipaddr.IPv4 | ipaddr.IPv6, bits: number): string => {
  const bytes = address.toByteArray().map((byte, index) => (index < bits / 8 ? byte : 0));
  return `${ipaddr.fromByteArray(bytes).toString()}/${bits}`;
};

/** Who is counted by a limit of addresses: an IPv4 address, or a network of IPv6: `2001:db8:7:1::/64`. */
export function clientOf(address: string): string {
  if (!address.includes(':') || !ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  return parsed.kind() === 'ipv4' ? parsed.toString() : prefixOf(parsed, NETWORK_BITS);
}

/** The network of an address: `203.0.113.0/24`, `2001:db8:7::/48`; null for other texts. */
export function ipPrefix(address: string): string | null {
  if (!ipaddr.isValid(address)) return null;
  const parsed = ipaddr.process(address);
  return prefixOf(parsed, PREFIX_BITS[parsed.kind()]);
}
