/** Media types of feeds; the feed contract publishes them. */
export const FEED_FORMATS = {
  'text/csv': 'csv',
  'text/tab-separated-values': 'tsv',
  'application/json': 'json',
  'application/x-ndjson': 'ndjson',
} as const;
export type FeedContentType = keyof typeof FEED_FORMATS;
export type FeedFormat = (typeof FEED_FORMATS)[FeedContentType];

/** What clients state for these types, and for workbooks: the content of a workbook is refused with a way to mend it. */
const ALIASES: Readonly<Record<string, FeedContentType>> = {
  'text/tsv': 'text/tab-separated-values',
  'application/csv': 'text/csv',
  'application/vnd.ms-excel': 'text/csv',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': 'text/csv',
  'application/vnd.oasis.opendocument.spreadsheet': 'text/csv',
  'text/plain': 'text/csv',
  'application/jsonl': 'application/x-ndjson',
  'application/x-jsonlines': 'application/x-ndjson',
  'application/ndjson': 'application/x-ndjson',
};

/** Endings of file names, for multipart parts with a generic type. */
const ENDINGS: Readonly<Record<string, FeedContentType>> = {
  csv: 'text/csv',
  txt: 'text/csv',
  xls: 'text/csv',
  xlsx: 'text/csv',
  ods: 'text/csv',
  tsv: 'text/tab-separated-values',
  tab: 'text/tab-separated-values',
  json: 'application/json',
  ndjson: 'application/x-ndjson',
  jsonl: 'application/x-ndjson',
};

export const MULTIPART = 'multipart/form-data';
export const CONTENT_TYPES: readonly string[] = [...Object.keys(FEED_FORMATS), MULTIPART];
export const ENCODINGS = ['utf-8', 'utf-16le', 'utf-16be', 'windows-1252'] as const;
export const DELIMITERS = [',', ';', '\t', '|'] as const;

/** The media type without parameters, in lower case. */
export function mediaType(header: string | undefined): string {
  return (header ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
}

/** The feed type of a media type; `undefined` if feeds do not accept it. */
export function feedContentType(media: string): FeedContentType | undefined {
  if (Object.hasOwn(FEED_FORMATS, media)) return media as FeedContentType;
  return Object.hasOwn(ALIASES, media) ? ALIASES[media] : undefined;
}

/**
 * Types that tools state for any body, such as curl for `--data-binary`; many clients state none for bytes. The content
 * of the file decides.
 */
const UNSTATED: ReadonlySet<string> = new Set([
  '',
  'application/octet-stream',
  'application/x-www-form-urlencoded',
]);
export const isUnstated = (media: string): boolean => UNSTATED.has(media);

/** The feed type of a file that begins with this text. */
export function guessContentType(start: string): FeedContentType {
  const text = start.replace(/^\ufeff?\s*/, '');
  if (text.startsWith('[')) return 'application/json';
  if (!text.startsWith('{')) return 'text/csv';
  const [line = '', next = ''] = text.split('\n', 2);
  return line.trimEnd().endsWith('}') && next.startsWith('{') ? 'application/x-ndjson' : 'application/json';
}

const GZIP: ReadonlySet<string> = new Set(['application/gzip', 'application/x-gzip']);
/** Types that browsers and tools give to any file. */
const GENERIC: ReadonlySet<string> = new Set([
  '',
  'application/octet-stream',
  'text/plain',
  'application/vnd.ms-excel',
  ...GZIP,
]);

/** Whether a file is compressed, according to its media type or the ending of its name. */
export function isGzipFile(media: string, filename: string | null): boolean {
  return GZIP.has(media) || (filename?.toLowerCase().endsWith('.gz') ?? false);
}

/** The feed type of a file. The ending of its name (`.csv`, `.csv.gz`) decides when its media type is generic. */
export function contentTypeOfFile(media: string, filename: string | null): FeedContentType | undefined {
  if (!GENERIC.has(media)) return feedContentType(media);
  const ending = /\.(\w+)(?:\.gz)?$/i.exec(filename ?? '')?.[1]?.toLowerCase() ?? '';
  return Object.hasOwn(ENDINGS, ending) ? ENDINGS[ending] : feedContentType(media);
}
