/** HEAD works on every GET route (RFC 9110 section 9.1): the same checks and headers, no body. */
import type { Method } from '../../kernel/route.ts';

/** The methods with which a declared method can be called. */
export function withHead(method: Method): ('HEAD' | Method)[] {
  return method === 'GET' ? ['GET', 'HEAD'] : [method];
}
