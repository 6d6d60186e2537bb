import ipaddr from 'ipaddr.js';

/** Bits of an address that the activity log keeps: enough to recognise a network, too little to name a person. */
const PREFIX_BITS = { ipv4: 24, ipv6: 48 } as const;

/** The network of an address: `203.0.113.0/24`, `2001:db8:7::/48`; null for other texts. */
export function ipPrefix(address: string): string | null {
  if (!ipaddr.isValid(address)) return null;
  const parsed = ipaddr.process(address);
  const bits = PREFIX_BITS[parsed.kind()];
  const bytes = parsed.toByteArray().map((byte, index) => (index < bits / 8 ? byte : 0));
  return `${ipaddr.fromByteArray(bytes).toString()}/${bits}`;
}
