/**
 * Imitates the Australian Business Register's JSON service: JSONP with or without a callback, faults as `Message` with
 * status 200, dates instead of flags. A test can make it slow, closed or broken.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export const ABR_GUID = '11111111-2222-3333-4444-555555555555';

type Details = Readonly<Record<string, unknown>>;

const EMPTY: Details = {
  Abn: '',
  AbnStatus: '',
  AbnStatusEffectiveFrom: '',
  Acn: '',
  AddressDate: null,
  AddressPostcode: '',
  AddressState: '',
  BusinessName: [],
  EntityName: '',
  EntityTypeCode: '',
  EntityTypeName: '',
  Gst: null,
  Message: '',
};

/** Entities of the register. The numbers are public; all other data but those of the first are made up. */
const ENTITIES: Readonly<Record<string, Details>> = {
  '51824753556': {
    Abn: '51824753556',
    AbnStatus: 'Active',
    AbnStatusEffectiveFrom: '1999-11-01',
    AddressPostcode: '2640',
    AddressState: 'NSW',
    EntityName: 'AUSTRALIAN TAXATION OFFICE',
    EntityTypeCode: 'CGE',
    EntityTypeName: 'Commonwealth Government Entity',
    Gst: '2000-07-01',
  },
  // Never registered for GST: the date is empty, not null.
  '26008672179': {
    Abn: '26008672179',
    AbnStatus: 'Cancelled',
    AbnStatusEffectiveFrom: '2020-03-31',
    Acn: '008672179',
    AddressPostcode: '3122',
    AddressState: 'VIC',
    BusinessName: ['Hammer & Nail', 'The Tool Shop'],
    EntityName: 'HARDWARE HOLDINGS PTY. LIMITED',
    EntityTypeCode: 'PRV',
    EntityTypeName: 'Australian Private Company',
    Gst: '',
  },
  // A replaced number: the register answers with its successor.
  '50008559486': {
    Abn: '53004085616',
    AbnStatus: 'Active',
    AbnStatusEffectiveFrom: '2001-01-01',
    Acn: '004085616',
    BusinessName: [{ OrganisationName: 'New Number Traders', EffectiveFrom: '2012-05-01' }],
    EntityName: 'NEW NUMBER PTY LTD',
    EntityTypeCode: 'PRV',
    EntityTypeName: 'Australian Private Company',
    Gst: '2099-07-01',
  },
};

export type AbrMode =
  | 'normal'
  | 'silent'
  | 'status_503'
  | 'maintenance_page'
  | 'redirect'
  | 'cut_off'
  | 'problem'
  | 'endless';

export interface AbrServer {
  readonly url: string;
  /** Query strings of all requests so far. */
  readonly asked: URLSearchParams[];
  mode: AbrMode;
  stop(): Promise<void>;
}

/** What a test changes of the entities, by ABN. */
export const abrChanges = new Map<string, Details>();

function details(query: URLSearchParams): Details {
  if (query.get('guid') !== ABR_GUID) {
    return { ...EMPTY, Message: 'The GUID entered is not recognised as a Registered Party' };
  }
  const abn = query.get('abn')?.replaceAll(' ', '') ?? '';
  const entity = { ...ENTITIES[abn], ...abrChanges.get(abn) };
  if (Object.keys(entity).length > 0) return { ...EMPTY, ...entity };
  return {
    ...EMPTY,
    Message: abn.startsWith('1') ? 'No record found' : 'Search text is not a valid ABN or ACN',
  };
}

/** The service writes JSONP even without a `callback` parameter. */
function jsonp(query: URLSearchParams, body: Details): string {
  return `${query.get('callback') ?? 'callback'}(${JSON.stringify(body)})`;
}

const MODES: Readonly<Record<AbrMode, (response: ServerResponse, query: URLSearchParams) => void>> = {
  normal: (response, query) => {
    response.setHeader('content-type', 'text/javascript; charset=utf-8');
    response.end(jsonp(query, details(query)));
  },
  silent: () => undefined,
  status_503: (response) => response.writeHead(503).end('Service Unavailable'),
  maintenance_page: (response) => {
    response.setHeader('content-type', 'text/html');
    response.end('<html><body>ABN Lookup is unavailable due to scheduled maintenance.</body></html>');
  },
  redirect: (response) => response.writeHead(302, { location: '/Maintenance.aspx' }).end(),
  cut_off: (response, query) => {
    const text = jsonp(query, details(query));
    response.writeHead(200, { 'content-length': text.length });
    response.write(text.slice(0, 40), () => response.destroy());
  },
  problem: (response, query) =>
    response.end(jsonp(query, { ...EMPTY, Message: 'There was a problem completing your request.' })),
  endless: (response) => {
    const filler = 'x'.repeat(64 * 1024);
    const more = (): void => {
      if (!response.destroyed) response.write(filler, more);
    };
    more();
  },
};

/** Starts the service on loopback. */
export async function startAbrServer(): Promise<AbrServer> {
  const asked: URLSearchParams[] = [];
  const state: { mode: AbrMode } = { mode: 'normal' };
  const server = createServer((request: IncomingMessage, response) => {
    const url = new URL(request.url ?? '/', 'http://abr.test');
    if (url.pathname !== '/json/AbnDetails.aspx') return void response.writeHead(404).end();
    asked.push(url.searchParams);
    MODES[state.mode](response, url.searchParams);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    get mode() {
      return state.mode;
    },
    set mode(mode) {
      state.mode = mode;
    },
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
