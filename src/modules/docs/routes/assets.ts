/** The files that the pages load: a fixed list from installed packages, and a few lines of this service. */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { REDOC_START, SWAGGER_START } from './pages.ts';

const JAVASCRIPT = 'text/javascript; charset=utf-8';
const CSS = 'text/css; charset=utf-8';

interface Source {
  readonly type: string;
  readonly read: () => Promise<Buffer>;
}

export interface Asset {
  readonly type: string;
  readonly bytes: Buffer;
  /** Strong entity tag without quotes. */
  readonly etag: string;
}

const inPackage = (path: string): string => fileURLToPath(import.meta.resolve(path));
const file = (type: string, path: string): Source => ({ type, read: () => readFile(inPackage(path)) });
const own = (type: string, text: string): Source => ({ type, read: async () => Buffer.from(text) });

/** Replaces the logo that the bundle would fetch from its maker's host by an empty picture. */
const FOREIGN_LOGO = 'https://cdn.redoc.ly/redoc/logo-mini.svg';
const NO_PICTURE = 'data:image/svg+xml,%3Csvg xmlns=%22http://www.w3.org/2000/svg%22/%3E';

const redocBundle: Source = {
  type: JAVASCRIPT,
  read: async () => {
    const text = await readFile(inPackage('redoc/bundles/redoc.standalone.js'), 'utf8');
    return Buffer.from(text.replaceAll(FOREIGN_LOGO, NO_PICTURE));
  },
};

/** Only these files are served. */
const SOURCES: Readonly<Record<string, Source>> = {
  'swagger-ui.css': file(CSS, 'swagger-ui-dist/swagger-ui.css'),
  'swagger-ui-bundle.js': file(JAVASCRIPT, 'swagger-ui-dist/swagger-ui-bundle.js'),
  'favicon-32x32.png': file('image/png', 'swagger-ui-dist/favicon-32x32.png'),
  'swagger-start.js': own(JAVASCRIPT, SWAGGER_START),
  'redoc.standalone.js': redocBundle,
  'redoc-start.js': own(JAVASCRIPT, REDOC_START),
};

export const ASSET_NAMES: readonly string[] = Object.keys(SOURCES);

/** Content, type and entity tag of bytes that do not change while the program runs. */
export function assetOf(type: string, bytes: Buffer): Asset {
  return { type, bytes, etag: createHash('sha256').update(bytes).digest('base64url').slice(0, 22) };
}

/** Reads assets once, when they are first used. Production does not use them. */
export function createAssets(): (name: string) => Promise<Asset> | undefined {
  const loaded = new Map<string, Promise<Asset>>();
  return (name) => {
    const source = Object.hasOwn(SOURCES, name) ? SOURCES[name] : undefined;
    if (source === undefined) return undefined;
    let asset = loaded.get(name);
    if (asset === undefined) {
      asset = source.read().then((bytes) => assetOf(source.type, bytes));
      loaded.set(name, asset);
    }
    return asset;
  };
}
