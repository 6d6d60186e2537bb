/** Events as the demo marketplace sends them. */

/** An event as `POST /internal/v1/events` takes it. */
export interface CloudEvent {
  readonly specversion: '1.0';
  readonly id: string;
  readonly source: string;
  readonly type: string;
  /** Absent in events that concern no single object. */
  readonly subject?: string;
  readonly sellerid?: string;
  readonly time: string;
  readonly data: unknown;
}

interface DemoEvent {
  readonly id: string;
  /** Without the prefix `marketplace.`. */
  readonly type: string;
  readonly subject?: string;
  readonly sellerId?: string;
  /** Milliseconds. */
  readonly at: number;
  readonly data: unknown;
}

export const isoOf = (at: number): string => new Date(at).toISOString();

export const demoEvent = ({ id, type, subject, sellerId, at, data }: DemoEvent): CloudEvent => ({
  specversion: '1.0',
  id,
  source: '/demo-marketplace',
  type: `marketplace.${type}`,
  ...(subject === undefined ? {} : { subject }),
  ...(sellerId === undefined ? {} : { sellerid: sellerId }),
  time: isoOf(at),
  data,
});
