export interface Addresses {
  readonly api: string;
  readonly demo: string;
}

/** Where the service and the demo marketplace are when no port is configured. */
export const DEFAULT_ADDRESSES: Addresses = { api: 'http://127.0.0.1:8080', demo: 'http://127.0.0.1:8082' };
