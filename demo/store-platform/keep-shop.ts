/** Keeps a store in a file, so that it is still connected after a restart. */
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Shop } from './shop.ts';

const SAVE_EVERY_MS = 1_000;
const BIG = /^\d+n$/;

const toText = (shop: Shop): string =>
  JSON.stringify(shop.save(), (_name, value: unknown) => (typeof value === 'bigint' ? `${value}n` : value));
const fromText = (text: string): ReturnType<Shop['save']> =>
  JSON.parse(text, (_name, value: unknown) =>
    typeof value === 'string' && BIG.test(value) ? BigInt(value.slice(0, -1)) : value,
  );

/** Restores a store from a file, and writes it there when it has changed. @returns the end */
export function keepShop(shop: Shop, file: string): () => void {
  let written = '';
  if (existsSync(file)) {
    written = readFileSync(file, 'utf8');
    shop.load(fromText(written));
  }
  const save = (): void => {
    const text = toText(shop);
    if (text === written) return;
    mkdirSync(dirname(file), { recursive: true });
    // A kill must not leave half of the file.
    writeFileSync(`${file}.new`, text);
    renameSync(`${file}.new`, file);
    written = text;
  };
  const timer = setInterval(save, SAVE_EVERY_MS).unref();
  return () => {
    clearInterval(timer);
    save();
  };
}
