import { ApiError, coreErrors, fail } from '../../kernel/errors.ts';
import { type AnyRoute, isSellerAccess } from '../../kernel/route.ts';

/** What a parameter of a path names, where its name does not say it. */
const KINDS: Readonly<Record<string, string>> = {
  run_id: 'feed run',
  profile_id: 'shipping profile',
  endpoint_id: 'webhook endpoint',
  delivery_id: 'webhook delivery',
  member_id: 'team member',
  request_id: 'cancel request',
  rfq_id: 'request for quotes',
  faq_id: 'FAQ',
  link_id: 'linked variant',
  audit_id: 'entry of the activity log',
  key: 'onboarding step',
  version: 'agreement version',
  metric: 'seller metric',
};
/** Parameters whose values no answer repeats. */
const SECRET: ReadonlySet<string> = new Set(['token']);

const PRINTABLE = /^[!-~]{1,120}$/;

const shownId = (parameter: string, id: string): string =>
  SECRET.has(parameter) || !PRINTABLE.test(id) ? ' with this id' : ` ${id}`;

const kindOf = (parameter: string): string =>
  KINDS[parameter] ?? parameter.replace(/_id$/, '').replaceAll('_', ' ');

/**
 * Adds to a 404 what is missing, from the path of the request: "Your account has no shipment shp_… of order ord_…." An
 * error that names it already stays as it is.
 */
export function namesMissing(error: unknown, { path, access }: AnyRoute, params: unknown): unknown {
  if (!(error instanceof ApiError) || error.body['detail'] !== coreErrors.not_found.detail) return error;
  const given = params as Readonly<Record<string, string>>;
  const named = [...path.matchAll(/\{(\w+)\}/g)]
    .map(([, parameter = '']) => parameter)
    .map((parameter) => `${kindOf(parameter)}${shownId(parameter, given[parameter] ?? '')}`)
    .reverse();
  if (named.length === 0) return error;
  const owner = isSellerAccess(access) ? 'Your account has no' : 'There is no';
  return fail(coreErrors.not_found, { detail: `${owner} ${named.join(' of ')}.` });
}
