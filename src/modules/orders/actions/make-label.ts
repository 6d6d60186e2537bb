/** A label for a parcel: priced by a quote or by the rate table, made by the carrier's adapter, kept as facts. */
import type { Logger } from '../../../kernel/context.ts';
import { fail, invalid } from '../../../kernel/errors.ts';
import type { Minor } from '../../../kernel/money.ts';
import type { Services } from '../../../platform/services.ts';
import {
  adapterOf,
  carrierOf,
  OWN_CARRIER,
  type RateRequest,
  serviceOf,
  shippingErrors,
  takeQuote,
} from '../../shipping/index.ts';
import type { Label, LabelContent, LabelParty, Order, Package, Shipment } from '../domain/order.ts';
import { errors } from '../errors.ts';
import { loadSender } from '../store/sender.ts';
import type { ChangeContext } from './change-order.ts';

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
  /** Of a quote: its price, and what it was asked for. */
  readonly price: Minor | null;
  readonly asked: RateRequest | null;
}

const problem = (field: string, type: string, msg: string, input?: unknown) =>
  invalid([{ loc: ['body', field], msg, type, ...(input === undefined ? {} : { input }) }]);

/** @throws ApiError 422, 409 `quote_used`, `quote_expired` */
async function chosenOf({ db, sellerId, now }: ChangeContext, choice: LabelChoice): Promise<Chosen> {
  const { quote_id: quoteId, option_id: optionId, carrier, service } = choice;
  if (quoteId === undefined) {
    if (carrier === undefined)
      throw problem('carrier', 'missing', 'Send a quote_id and option_id, or a carrier and service.');
    if (carrierOf(carrier) === undefined)
      throw problem(
        'carrier',
        'carrier_unknown',
        'There is no such carrier; see GET /shipping/carriers.',
        carrier,
      );
    if (service === undefined || serviceOf(carrier, service) === undefined)
      throw problem(
        'service',
        'service_unknown',
        'The carrier has no such service; see GET /shipping/services.',
        service,
      );
    return { carrier, service, quote_id: null, option_id: null, price: null, asked: null };
  }
  const taken = await takeQuote(db, { sellerId, quoteId, optionId: optionId ?? '', now: now() });
  if (!taken.ok) {
    if (taken.problem === 'quote_used') throw fail(errors.quote_used);
    if (taken.problem === 'quote_expired') throw fail(errors.quote_expired);
    const field = taken.problem === 'quote_not_found' ? 'quote_id' : 'option_id';
    throw problem(field, taken.problem, 'There is no such quote or option.', choice[field]);
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

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
const orNull = (value: unknown): string | null => (typeof value === 'string' ? value : null);

function addressOf(given: Readonly<Record<string, unknown>>, name: string): LabelParty {
  return {
    name: orNull(given['name']) ?? name,
    company: orNull(given['company']),
    line1: textOf(given['line1']),
    line2: orNull(given['line2']),
    city: textOf(given['city']),
    state: orNull(given['state']),
    postcode: orNull(given['postcode']),
    country: textOf(given['country']) || 'AU',
    phone: orNull(given['phone']),
  };
}

/** A quote is for the parcels and the place it was asked for. @throws ApiError 409 `quote_mismatch` */
function requireSame({ asked }: Chosen, packages: readonly Package[], to: LabelParty): void {
  if (asked === null) return;
  const size = ({ weight_g, length_mm, width_mm, height_mm }: Package) =>
    [weight_g, length_mm, width_mm, height_mm].join('x');
  const same = packages.map(size).sort().join() === asked.packages.map(size).sort().join();
  if (!same || asked.to.country !== to.country || (asked.to.postcode ?? null) !== (to.postcode ?? null))
    throw fail(errors.quote_mismatch);
}

export interface Making {
  readonly config: Services['config'];
  readonly log: Logger;
  /** Nothing may be bought: only what it would cost is asked. */
  readonly dryRun: boolean;
}

interface Bought {
  readonly tracking_numbers: readonly string[];
  readonly carrier_reference: string | null;
  readonly price: Minor;
}

/** @throws ApiError 409 `carrier_not_connected`, `carrier_refused`, 503 `carrier_unavailable` */
async function buy(
  { config, log, dryRun }: Making,
  { carrier, service }: Chosen,
  content: Omit<LabelContent, 'tracking_numbers' | 'carrier_reference'>,
): Promise<Bought> {
  const adapter = adapterOf(config, log, carrier);
  if (adapter === undefined) throw fail(shippingErrors.carrier_not_connected, { facts: { carrier } });
  const { reference, from, to, packages, authority_to_leave } = content;
  if (!dryRun || carrier === OWN_CARRIER)
    return adapter.createLabel({ reference, service, from, to, packages, authority_to_leave });
  const { options } = await adapter.quote({ from_postcode: from.postcode ?? '', to, packages });
  const option = options.find((one) => one.service === service);
  if (option === undefined)
    throw fail(shippingErrors.carrier_refused, { facts: { carrier, carrier_code: 'service_not_offered' } });
  return { tracking_numbers: packages.map(() => ''), carrier_reference: null, price: option.price };
}

/**
 * Makes a label for a shipment of the order.
 *
 * @throws ApiError 409, 422, 503; see the parts
 */
export async function makeLabel(
  ctx: ChangeContext,
  making: Making,
  { head, labels }: Order,
  { shipment_id, packages: packed }: Shipment,
  choice: LabelChoice,
): Promise<Label> {
  const chosen = await chosenOf(ctx, choice);
  const packages = packed.length > 0 ? packed : (chosen.asked?.packages ?? []);
  if (packages.length === 0) throw fail(errors.packages_missing);
  const sender = await loadSender(ctx.db, ctx.sellerId);
  const to = addressOf(head.ship_to, '');
  // Without an address of its own the seller delivers from around the corner.
  const from = addressOf(
    sender.address ?? { postcode: chosen.asked?.from_postcode ?? to.postcode },
    sender.business_name,
  );
  requireSame(chosen, packages, to);
  const content = {
    from,
    to,
    order_number: head.order_number,
    reference: shipment_id,
    packages,
    authority_to_leave: head.ship_to['authority_to_leave'] === true,
  };
  const label_id = ctx.ids.next('label');
  // A request that is sent again after it failed half-way names the same label to the carrier and gets that one.
  const nth = labels.filter((label) => label.shipment_id === shipment_id).length + 1;
  const bought = await buy(making, chosen, { ...content, reference: `${shipment_id}-${nth}` });
  const { tracking_numbers, carrier_reference } = bought;
  return {
    label_id,
    shipment_id,
    status: 'purchased',
    carrier: chosen.carrier,
    service: chosen.service,
    tracking_number: tracking_numbers[0] ?? '',
    price_minor: chosen.price ?? bought.price,
    quote_id: chosen.quote_id,
    option_id: chosen.option_id,
    content: { ...content, tracking_numbers, carrier_reference },
    created_at: new Date(ctx.now()).toISOString(),
    voided_at: null,
  };
}
