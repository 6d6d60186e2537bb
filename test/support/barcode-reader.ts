/** Reads barcodes from pictures, like a scanner in a depot. */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { prepareZXingModule, readBarcodes } from 'zxing-wasm/reader';

const require = createRequire(import.meta.url);
let prepared: Promise<unknown> | undefined;

/** The reader's WebAssembly from the package; by default it would be downloaded. */
async function prepare(): Promise<void> {
  prepared ??= readFile(require.resolve('zxing-wasm/reader/zxing_reader.wasm')).then(({ buffer }) =>
    prepareZXingModule({ overrides: { wasmBinary: buffer as ArrayBuffer }, fireImmediately: true }),
  );
  await prepared;
}

/** Formats and texts of every barcode in a PNG. */
export async function barcodesIn(png: Uint8Array): Promise<{ format: string; text: string }[]> {
  await prepare();
  const found = await readBarcodes(png, { formats: ['Code128'], tryHarder: true });
  return found.map(({ format, text }) => ({ format, text }));
}
