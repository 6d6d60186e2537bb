/** Finds out which label a parcel needs, and lets its carrier make the label. */
import type { Acting, Logger } from '../../../kernel/context.ts';
import { fail, invalid } from '../../../kernel/errors.ts';
import type { Minor } from '../../../kernel/money.ts';
import type { Services } from '../../../platform/services.ts';
import {
  adapterOf,
  type CarrierAdapter,
  carrierOf,
  type PrintedAddress,
  printedAddress,
  type RateRequest,
  requireFittingAddresses,
  senderOf,
  serviceOf,
  shippingErrors,
  takeQuote,
} from '../../shipping/index.ts';
import type { MadeLabel, WantedLabel } from '../domain/labels.ts';
import type { Order, Package, Shipment } from '../domain/order.ts';
import { errors } from '../errors.ts';

export interface LabelChoice {
  readonly quote_id?: string | undefined;
  readonly option_id?: string | undefined;
  readonly carrier?: string | undefined;
  readonly service?: string | undefined;
}

interface Chosen {
  readonly carrier: string;
  readonly service: string;
  readonly quote_id: string | null;
  readonly option_id: string | null;
  /** The price of the quote, and the request for which the carrier gave it; null without a quote. */
  readonly price: Minor | null;
  readonly asked: RateRequest | null;
}

const problem = (field: string, type: string, msg: string, input?: unknown) =>
  invalid([{ loc: ['body', field], msg, type, ...(input === undefined ? {} : { input }) }]);

/** @throws ApiError 422, 409 `quote_used`, `quote_expired` */
async function readChoice(ctx: Acting, choice: LabelChoice): Promise<Chosen> {
  const { quote_id: quoteId, option_id: optionId, carrier, service } = choice;
  if (quoteId === undefined) {
    if (carrier === undefined)
      throw problem('carrier', 'missing', 'Send a quote_id and option_id, or a carrier and service.');
    if (carrierOf(carrier) === undefined)
      throw problem(
        'carrier',
        'carrier_unknown',
        'Unknown carrier. GET /shipping/carriers lists them.',
        carrier,
      );
    if (service === undefined || serviceOf(carrier, service) === undefined)
      throw problem(
        'service',
        'service_unknown',
        'Unknown service of this carrier. GET /shipping/services lists them.',
        service,
      );
    return { carrier, service, quote_id: null, option_id: null, price: null, asked: null };
  }
  const taken = await takeQuote(ctx, { quoteId, optionId: optionId ?? '', now: ctx.now() });
  if (!taken.ok) {
    if (taken.problem === 'quote_used') throw fail(errors.quote_used);
    if (taken.problem === 'quote_expired') throw fail(errors.quote_expired);
    const field = taken.problem === 'quote_not_found' ? 'quote_id' : 'option_id';
    throw problem(field, taken.problem, 'Unknown quote or option. Request a new quote.', choice[field]);
  }
  const { price, request: asked } = taken;
  return {
    carrier: taken.carrier,
    service: taken.service,
    quote_id: quoteId,
    option_id: optionId ?? null,
    price,
    asked,
  };
}

/** A quote is valid only for its parcels and its destination. @throws ApiError 409 `quote_mismatch` */
function requireSame(asked: RateRequest | null, packages: readonly Package[], to: PrintedAddress): void {
  if (asked === null) return;
  const size = ({ weight_g, length_mm, width_mm, height_mm }: Package) =>
    [weight_g, length_mm, width_mm, height_mm].join('x');
  const same = packages.map(size).sort().join() === asked.packages.map(size).sort().join();
  if (!same || asked.to.country !== to.country || (asked.to.postcode ?? null) !== (to.postcode ?? null))
    throw fail(errors.quote_mismatch);
}

/**
 * The label to buy, from a quote or from a service of a carrier. The quote is then used up.
 *
 * @throws ApiError 409 `packages_missing`, `quote_used`, `quote_expired`, `quote_mismatch`, `sender_address_missing`,
 *   `address_too_long`, 422
 */
export async function prepareLabel(
  ctx: Acting,
  { head }: Order,
  { shipment_id, packages: packed }: Shipment,
  choice: LabelChoice,
): Promise<WantedLabel> {
  const { carrier, service, quote_id, option_id, price, asked } = await readChoice(ctx, choice);
  const packages = packed.length > 0 ? packed : (asked?.packages ?? []);
  if (packages.length === 0) throw fail(errors.packages_missing);
  const from = await senderOf(ctx);
  const to = printedAddress(head.ship_to, '');
  requireSame(asked, packages, to);
  requireFittingAddresses({ from, to });
  const content = {
    from,
    to,
    order_number: head.order_number,
    reference: shipment_id,
    packages,
    authority_to_leave: head.ship_to['authority_to_leave'] === true,
  };
  const { order_id } = head;
  const label_id = ctx.ids.next('lbl_');
  return { label_id, order_id, shipment_id, carrier, service, quote_id, option_id, price, content };
}

export interface Carriers {
  readonly config: Services['config'];
  readonly log: Logger;
}

/** @throws ApiError 409 `carrier_not_connected` */
export function connected({ config, log }: Carriers, carrier: string): CarrierAdapter {
  const adapter = adapterOf(config, log, carrier);
  if (adapter === undefined) throw fail(shippingErrors.carrier_not_connected, { facts: { carrier } });
  return adapter;
}

/**
 * Lets the carrier make the label. For the same reference the carrier always returns the same label.
 *
 * @throws ApiError 409 `carrier_refused`, 503 `carrier_unavailable`
 */
export function makeLabel(adapter: CarrierAdapter, wanted: WantedLabel): Promise<MadeLabel> {
  const { label_id, service, content } = wanted;
  const { from, to, packages, authority_to_leave } = content;
  return adapter.createLabel({ reference: label_id, service, from, to, packages, authority_to_leave });
}

/**
 * The label that would be made, for a dry run. The carrier is only asked for the price.
 *
 * @throws ApiError 409 `carrier_refused`, 503 `carrier_unavailable`
 */
export async function previewLabel(adapter: CarrierAdapter, wanted: WantedLabel): Promise<MadeLabel> {
  const { carrier, service } = wanted;
  const { from, to, packages } = wanted.content;
  const { options } = await adapter.quote({ from_postcode: from.postcode ?? '', to, packages });
  const option = options.find((one) => one.service === service);
  if (option === undefined)
    throw fail(shippingErrors.carrier_refused, { facts: { carrier, carrier_code: 'service_not_offered' } });
  return { tracking_numbers: packages.map(() => ''), carrier_reference: null, price: option.price };
}
