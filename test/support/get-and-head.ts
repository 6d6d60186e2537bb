import type { Answer } from './app.ts';
import { eventually } from './feeds.ts';

/**
 * The answers to GET and HEAD of the same state. The first request of a payload that a night computes makes it due, so
 * both are sent until they agree.
 */
export async function getAndHead<Body>(
  ask: (method: 'GET' | 'HEAD') => Promise<Answer<Body>>,
): Promise<[Answer<Body>, Answer<Body>]> {
  const tagOf = ({ headers }: Answer<Body>) => headers.get('etag');
  return eventually(
    async (): Promise<[Answer<Body>, Answer<Body>]> => [await ask('GET'), await ask('HEAD')],
    ([get, head]) => tagOf(get) === tagOf(head),
  );
}
