/** Sends what the marketplace sends, to the internal listener. */
import { INTERNAL_TOKEN, type Service } from './service.ts';

/** Sends JSON, or a text that is JSON already. @throws Error when the service does not take it */
export async function post(url: string, body: unknown, token?: string): Promise<Record<string, unknown>> {
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${url}: ${response.status} ${text.slice(0, 500)}`);
  return JSON.parse(text) as Record<string, unknown>;
}

export const postInternal = ({ internalUrl }: Pick<Service, 'internalUrl'>, path: string, body: unknown) =>
  post(`${internalUrl}/internal/v1/${path}`, body, INTERNAL_TOKEN);

/** Sends events of the marketplace. @throws Error when one of them is not applied */
export async function tell(
  service: Pick<Service, 'internalUrl'>,
  events: readonly object[] | string,
): Promise<void> {
  const { results } = await postInternal(service, 'events', events);
  const wrong = (results as { status: string }[]).find(({ status }) => status !== 'applied');
  if (wrong !== undefined) throw new Error(`not applied: ${JSON.stringify(wrong)}`);
}
