/**
 * One request to a service that the operator has configured, with a time limit and a size limit, without redirects.
 * `call.ts` calls addresses that sellers choose.
 */
export interface Question {
  readonly method?: 'GET' | 'POST' | 'DELETE';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** From the name lookup to the end of the answer. */
  readonly timeoutMs: number;
  /** Longest answer that is read. */
  readonly bytesMax: number;
}

export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

async function readBounded(response: Response, bytesMax: number): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.length;
    if (size > bytesMax) throw new Error(`the answer is larger than ${bytesMax} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/**
 * Sends the request, once.
 *
 * @throws Error whose message may hold the address: do not log it where the address is a secret
 */
export async function ask(url: string | URL, question: Question): Promise<Reply> {
  const { timeoutMs, bytesMax, ...init } = question;
  const response = await fetch(url, { ...init, redirect: 'error', signal: AbortSignal.timeout(timeoutMs) });
  const { status, headers } = response;
  return { status, headers, text: await readBounded(response, bytesMax) };
}
