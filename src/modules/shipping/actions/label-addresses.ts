/** The two addresses of a label: read from what is stored, and checked before a label is made. */
import { spelledArea } from '../../../kernel/australia/address.ts';
import { fail } from '../../../kernel/errors.ts';
import type { SellerDb } from '../../../platform/db/table.ts';
import type { Label, PrintedAddress } from '../domain/label.ts';
import { shippingErrors } from '../errors.ts';
import { loadSender } from '../store/sender.ts';
import { addressTooLong } from './label-layout.ts';

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
const orNull = (value: unknown): string | null => (typeof value === 'string' ? value : null);

/** Reads an address from any JSON; parts that are no texts count as absent. */
export function printedAddress(
  given: Readonly<Record<string, unknown>>,
  name: string | null,
): PrintedAddress {
  return {
    name: orNull(given['name']) ?? name,
    company: orNull(given['company']),
    line1: textOf(given['line1']),
    line2: orNull(given['line2']),
    city: textOf(given['city']),
    ...spelledArea(given),
    phone: orNull(given['phone']),
  };
}

/** @throws ApiError 409 `sender_address_missing` */
export async function senderOf(ctx: SellerDb): Promise<PrintedAddress> {
  const { business_name, address } = await loadSender(ctx);
  if (address === null) throw fail(shippingErrors.sender_address_missing);
  return printedAddress(address, business_name);
}

const TOO_LONG = {
  to: 'The delivery address does not fit on a label at 7 pt. Ask the marketplace to correct it, or dispatch the parcel with a label and tracking number of the carrier.',
  from: 'Your own address does not fit on a label at 7 pt. Shorten it with PATCH /api/v1/sellers/me.',
} as const;

/** @throws ApiError 409 `address_too_long` */
export function requireFittingAddresses(addresses: Pick<Label, 'from' | 'to'>): void {
  const address = addressTooLong(addresses);
  if (address !== undefined)
    throw fail(shippingErrors.address_too_long, { detail: TOO_LONG[address], facts: { address } });
}
