// Parts of `pg` that it publishes under `pg/lib/*` but has no types for; only batch.ts uses them.
declare module 'pg/lib/utils.js' {
  const utils: { prepareValue(value: unknown): unknown };
  export default utils;
}
declare module 'pg/lib/result.js' {
  export default class Result {
    constructor(rowMode: 'array' | undefined, types: unknown);
    rows: unknown[];
    rowCount: number | null;
    command: string | null;
    addFields(fields: unknown): void;
    addRow(row: unknown): void;
    parseRow(fields: unknown): unknown;
    addCommandComplete(message: unknown): void;
  }
}
