/** Browsers, the most specific first, because each also names the later ones. */
const BROWSERS = [
  ['Edg', 'Edge'],
  ['Firefox', 'Firefox'],
  ['Chrome', 'Chrome'],
  ['Safari', 'Safari'],
] as const;
const FAMILY_CHARS_MAX = 32;

/** The first product that a User-Agent names, without its version; for browsers, their usual name. */
export function userAgentFamily(header: string | undefined): string | null {
  if (header === undefined) return null;
  if (header.startsWith('Mozilla/'))
    return BROWSERS.find(([token]) => header.includes(`${token}/`))?.[1] ?? 'browser';
  return /^[A-Za-z][\w.-]*/.exec(header)?.[0].slice(0, FAMILY_CHARS_MAX) ?? null;
}
