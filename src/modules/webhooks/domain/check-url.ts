/** What an address of an endpoint must look like; whether it is public is seen when it is dialled. */

export interface UrlProblem {
  readonly type: string;
  readonly msg: string;
}

/** Below these only the two ports of the web: no receiver listens on the port of a mail server. */
const SYSTEM_PORTS_END = 1_024;
const WEB_PORTS = new Set([80, 443]);
/** Ports above them that browsers refuse because other protocols listen there (WHATWG Fetch, "bad port"). */
const OTHER_PROTOCOLS = new Set([
  1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697,
  10080,
]);

const portOf = (url: URL): number =>
  url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : Number(url.port);

/**
 * @param httpsOnly in production
 * @returns the URL, or why it is none to be called
 */
export function checkUrl(text: string, httpsOnly: boolean): URL | UrlProblem {
  // The parser takes away spaces and line ends without a word.
  const url = URL.canParse(text) && !/[\s\p{Cc}]/u.test(text) ? new URL(text) : undefined;
  // It also completes what is half an address.
  if (url === undefined || !/^https?:\/\//i.test(text))
    return { type: 'url_invalid', msg: 'Must be a whole address beginning with https://.' };
  if (httpsOnly && url.protocol !== 'https:')
    return { type: 'url_https_required', msg: 'Must begin with https://.' };
  if (url.username !== '' || url.password !== '')
    return {
      type: 'url_userinfo',
      msg: 'Must not hold a user name or password; the signature says who calls.',
    };
  const port = portOf(url);
  if ((port < SYSTEM_PORTS_END && !WEB_PORTS.has(port)) || OTHER_PROTOCOLS.has(port))
    return { type: 'url_port_refused', msg: 'The port belongs to another protocol; use 443.' };
  return url;
}
