import type { TestApp } from './app.ts';

export interface InternalAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** Parsed JSON; undefined for other content. */
  readonly body: Record<string, unknown> | undefined;
}

export interface InternalCall {
  /** Sent as JSON unless it is text. */
  readonly body?: unknown;
  /** Default: the right one. Null: none. */
  readonly token?: string | null;
  readonly type?: string;
}

/** Calls the marketplace's listener of a test app. */
export async function callInternal(
  app: Pick<TestApp, 'internalUrl' | 'internalToken'>,
  method: string,
  path: string,
  { body, token = app.internalToken, type = 'application/json' }: InternalCall = {},
): Promise<InternalAnswer> {
  const response = await fetch(`${app.internalUrl}${path}`, {
    method,
    headers: {
      ...(token === null ? {} : { authorization: `Bearer ${token}` }),
      ...(body === undefined ? {} : { 'content-type': type }),
    },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.includes('json') ?? false;
  return {
    status: response.status,
    headers: response.headers,
    text,
    body: isJson && text !== '' ? JSON.parse(text) : undefined,
  };
}
