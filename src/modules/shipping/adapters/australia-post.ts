/**
 * Australia Post by its Shipping and Tracking API: prices, shipments, deletion, tracking. Source: the public
 * reference of the API (developers.auspost.com.au, Shipping and Tracking, v1).
 */
import type { Logger } from '../../../kernel/context.ts';
import { type Minor, parseDecimal, sumMinor } from '../../../kernel/money.ts';
import { carrierOf } from '../domain/carriers.ts';
import type { LabelAddress } from '../domain/label.ts';
import type { Parcel } from '../domain/rate-table.ts';
import { normaliseTracking } from '../domain/tracking-number.ts';
import type { CarrierAdapter, CarrierEvent, CarrierOption } from './adapter.ts';
import {
  type CarrierAccount,
  callCarrier,
  fieldOf,
  isList,
  isNumber,
  isObject,
  isText,
  unavailable,
} from './json-client.ts';

const CARRIER = 'australia_post';
/** The service's codes by Australia Post's product codes of contract parcels. */
const PRODUCTS: Readonly<Record<string, string>> = { parcel_post: '7D55', express_post: '7J55' };

/** Australia Post makes the tracking numbers. A number is still checked before it is printed on a label. */
const PRINTABLE = /^[0-9A-Z]{6,40}$/;

/** The longest texts that the API accepts. */
const NAME_CHARS = 40;
const LINE_CHARS = 40;
const LINES_MAX = 3;

interface PostAccount {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly password: string;
  readonly account: string;
  readonly timeoutMs: number;
  readonly log: Logger;
}

/** Kilograms and centimetres. They are not money, so plain arithmetic is allowed. */
const thousandths = (value: number): number => value / 1_000;
const sizeOf = ({ weight_g, length_mm, width_mm, height_mm }: Parcel) => ({
  weight: thousandths(weight_g),
  length: length_mm / 10,
  width: width_mm / 10,
  height: height_mm / 10,
});

const addressOf = ({ name, company, line1, line2, city, state, postcode, phone }: LabelAddress) => ({
  name: (name ?? company ?? '').slice(0, NAME_CHARS),
  ...(name && company ? { business_name: company.slice(0, NAME_CHARS) } : {}),
  lines: [line1, line2].flatMap((line) => (line ? [line.slice(0, LINE_CHARS)] : [])).slice(0, LINES_MAX),
  suburb: city.slice(0, LINE_CHARS),
  state: state ?? '',
  postcode: postcode ?? '',
  ...(phone ? { phone } : {}),
});

/** The API writes dollars as JSON numbers with at most two decimals. */
function amountOf(account: CarrierAccount, value: unknown): Minor {
  const amount = isNumber(value) && value >= 0 ? parseDecimal(String(value)) : 'not_a_decimal';
  if (typeof amount === 'string') throw unavailable(account, 'an amount that is none');
  return amount;
}

/** The sum of the prices of all items for one product, if each item has a price. */
function priceFor(
  account: CarrierAccount,
  items: readonly unknown[],
  product: string,
): readonly Minor[] | undefined {
  const prices = items.map((item) => {
    const offers = fieldOf(item, 'prices', isList) ?? [];
    const offer = offers.find((one) => fieldOf(one, 'product_id', isText) === product);
    return offer === undefined ? undefined : amountOf(account, fieldOf(offer, 'calculated_price', isNumber));
  });
  return prices.every((price) => price !== undefined) ? prices : undefined;
}

async function quote(
  account: CarrierAccount,
  { from_postcode, to, packages }: Parameters<CarrierAdapter['quote']>[0],
): ReturnType<CarrierAdapter['quote']> {
  const services = carrierOf(CARRIER)?.services.filter(({ code }) => Object.hasOwn(PRODUCTS, code)) ?? [];
  if (to.country !== 'AU')
    return {
      options: [],
      refused: services.map(({ code }) => ({ service: code, reason: 'country_not_served' })),
    };
  const { body } = await callCarrier(account, {
    method: 'POST',
    path: '/prices/items',
    body: { from: { postcode: from_postcode }, to: { postcode: to.postcode }, items: packages.map(sizeOf) },
  });
  const items = fieldOf(body, 'items', isList);
  if (items?.length !== packages.length) throw unavailable(account, 'prices of other items');
  const options: CarrierOption[] = [];
  const refused: { service: string; reason: string }[] = [];
  for (const { code, transit_days_min, transit_days_max } of services) {
    const prices = priceFor(account, items, PRODUCTS[code] ?? '');
    if (prices === undefined) refused.push({ service: code, reason: 'not_offered' });
    else
      options.push({
        service: code,
        price: sumMinor(prices),
        eta_days_min: transit_days_min,
        eta_days_max: transit_days_max,
      });
  }
  return { options, refused };
}

async function createLabel(
  account: CarrierAccount,
  request: Parameters<CarrierAdapter['createLabel']>[0],
): ReturnType<CarrierAdapter['createLabel']> {
  const { reference, service, from, to, packages, authority_to_leave } = request;
  const items = packages.map((parcel, index) => ({
    item_reference: `${reference}-${index + 1}`,
    product_id: PRODUCTS[service] ?? service,
    ...sizeOf(parcel),
    authority_to_leave,
    allow_partial_delivery: true,
  }));
  const { body } = await callCarrier(account, {
    method: 'POST',
    path: '/shipments',
    reference,
    body: {
      shipments: [
        {
          shipment_reference: reference,
          email_tracking_enabled: false,
          from: addressOf(from),
          to: addressOf(to),
          items,
        },
      ],
    },
  });
  const [shipment] = fieldOf(body, 'shipments', isList) ?? [];
  const id = fieldOf(shipment, 'shipment_id', isText);
  const tracking_numbers = (fieldOf(shipment, 'items', isList) ?? []).flatMap((item) => {
    const article = fieldOf(fieldOf(item, 'tracking_details', isObject), 'article_id', isText);
    const number = normaliseTracking(article ?? '');
    return PRINTABLE.test(number) ? [number] : [];
  });
  if (id === undefined || tracking_numbers.length !== packages.length)
    throw unavailable(account, 'a shipment without its numbers');
  const summary = fieldOf(shipment, 'shipment_summary', isObject);
  return {
    tracking_numbers,
    carrier_reference: id,
    price: amountOf(account, fieldOf(summary, 'total_cost', isNumber)),
  };
}

const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:?\d\d)$/;

function eventOf(value: unknown): CarrierEvent[] {
  const date = fieldOf(value, 'date', isText);
  const description = fieldOf(value, 'description', isText);
  if (date === undefined || description === undefined || !INSTANT.test(date)) return [];
  const at = Date.parse(date);
  if (Number.isNaN(at)) return [];
  return [
    {
      at: new Date(at).toISOString(),
      description: description.slice(0, 300),
      location: fieldOf(value, 'location', isText)?.slice(0, 200) ?? null,
    },
  ];
}

async function track(account: CarrierAccount, number: string): Promise<readonly CarrierEvent[]> {
  const path = `/track?tracking_ids=${encodeURIComponent(number)}`;
  const { body } = await callCarrier(account, { method: 'GET', path });
  const results = fieldOf(body, 'tracking_results', isList);
  if (results === undefined) throw unavailable(account, 'no tracking results');
  const [result] = results;
  const items = fieldOf(result, 'trackable_items', isList) ?? [];
  const events = items.flatMap((item) => fieldOf(item, 'events', isList) ?? []).flatMap(eventOf);
  return events.sort((one, two) => (one.at < two.at ? 1 : -1));
}

/** The adapter of an account. */
export function australiaPost({
  baseUrl,
  apiKey,
  password,
  account: number,
  timeoutMs,
  log,
}: PostAccount): CarrierAdapter {
  const authorization = `Basic ${Buffer.from(`${apiKey}:${password}`).toString('base64')}`;
  const headers = { authorization, 'account-number': number };
  const account: CarrierAccount = { carrier: CARRIER, baseUrl, headers, timeoutMs, log };
  return {
    carrier: CARRIER,
    quote: (request) => quote(account, request),
    createLabel: (request) => createLabel(account, request),
    async voidLabel(reference) {
      if (reference === null) return;
      // The shipment does not exist any more, as wanted.
      await callCarrier(account, {
        method: 'DELETE',
        path: `/shipments/${encodeURIComponent(reference)}`,
        accept: [404],
      });
    },
    track: (number) => track(account, number),
  };
}
