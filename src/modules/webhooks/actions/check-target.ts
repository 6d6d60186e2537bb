import { isIP } from 'node:net';
import { type FieldProblem, invalid } from '../../../kernel/errors.ts';
import { dialable, parseRanges, type Range } from '../../../platform/net/classify-address.ts';
import type { Services } from '../../../platform/services.ts';
import { checkUrl } from '../domain/check-url.ts';
import { openedRanges } from '../settings.ts';
import { typeProblems } from './check-types.ts';

const LOCAL_NAME = /^(?:.*\.)?(?:localhost|local|internal)\.?$/i;

/** Names of cloud metadata services. They are refused even if an operator opens their addresses. */
const METADATA_NAME = /^(?:metadata\.google\.internal|metadata|instance-data)\.?$/i;

const EVERY_ADDRESS = parseRanges(['0.0.0.0/0', '::/0']);

/** Whether an address or name is never public. Other names are checked at each call. */
function refused(hostname: string, opened: readonly Range[]): boolean {
  const host = hostname.replace(/^\[|\]$/g, '');
  if (isIP(host) !== 0) return dialable(host, opened) === undefined;
  return METADATA_NAME.test(host) || (LOCAL_NAME.test(host) && opened.length === 0);
}

function urlProblem(text: string, config: Services['config']): FieldProblem[] {
  const url = checkUrl(text, config.APP_ENV === 'production');
  const loc = ['body', 'url'];
  if (!(url instanceof URL)) {
    // The answer must not show the password again.
    const input = url.type === 'url_userinfo' ? {} : { input: text.slice(0, 200) };
    return [{ loc, msg: url.msg, type: url.type, ...input }];
  }
  if (!refused(url.hostname, openedRanges(config))) return [];
  const msg = refused(url.hostname, EVERY_ADDRESS)
    ? 'Must be a public address. Link-local addresses and those of metadata services are never called.'
    : 'Must be a public address, or one in a range that the operator of the service opens with the setting WEBHOOK_ALLOWED_CIDRS.';
  return [{ loc, msg, type: 'url_address_refused', input: text.slice(0, 200) }];
}

/**
 * Checks which events go to an endpoint, and its address.
 *
 * @throws ApiError 422 at `body.url` or `body.event_types`
 */
export function checkTarget(
  target: { readonly url?: string | undefined; readonly event_types?: readonly string[] | undefined },
  services: Pick<Services, 'config' | 'modules'>,
): void {
  const problems = [
    ...(target.url === undefined ? [] : urlProblem(target.url, services.config)),
    ...typeProblems(target.event_types ?? [], services, 'event_types'),
  ];
  if (problems.length > 0) throw invalid(problems);
}
