/** Which open units of a line the seller sends, and which a supplier. Source: docs/design/supply.md#dropship-orders. */
import type { OrderLine } from './order.ts';

/** Waiting units for which a supplier has no answer yet. */
export const suppliedWaiting = ({ supplied, supplied_accepted }: OrderLine): number =>
  supplied - supplied_accepted;

/** Waiting units that no supplier sends. */
export const ownWaiting = (line: OrderLine): number => line.awaiting - suppliedWaiting(line);

/** Accepted units that no supplier sends. */
export const ownAccepted = ({ accepted_open, supplied_accepted }: OrderLine): number =>
  accepted_open - supplied_accepted;
