/** The body of a delivery. It is the event as the pull form shows it, joined from stored texts. */

/** An event whose JSON is still text. To parse it and write it again would be most of a delivery's work. */
export interface EventText {
  readonly event_id: string;
  readonly type: string;
  readonly sequence: bigint;
  readonly seller_id: string;
  readonly object_id: string;
  readonly object_version: number;
  /** RFC 3339. */
  readonly created_at: string;
  /** JSON. */
  readonly data: string | null;
  /** JSON. */
  readonly correlation: string | null;
}

export type Payload = 'full' | 'thin';

/** A thin event has only the id and the version of its object. The receiver reads the object if it needs it. */
const thinData = ({ object_id, object_version }: EventText): string =>
  `{"object":{"id":${JSON.stringify(object_id)},"version":${object_version}}}`;

const NO_OBJECT = '{"object":null}';

/** @param apiVersion version of the shape of events */
export function eventBody(event: EventText, payload: Payload, apiVersion: string): string {
  const data = payload === 'thin' ? thinData(event) : (event.data ?? NO_OBJECT);
  return (
    `{"id":"${event.event_id}","type":"${event.type}","sequence":${event.sequence},` +
    `"created_at":"${event.created_at}","api_version":"${apiVersion}","seller_id":"${event.seller_id}",` +
    `"object_version":${event.object_version},"data":${data},"correlation":${event.correlation ?? 'null'},"test":false}`
  );
}
