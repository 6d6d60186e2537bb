/** Opens the stored file of a run as rows. */
import type { CursorDb } from '../../../../kernel/context.ts';
import { currencyExponent } from '../../../../kernel/money.ts';
import type { RecordFormat, TextEncodingName } from '../../../../kernel/readers/records.ts';
import type { Services } from '../../../../platform/services.ts';
import { FEED_FORMATS, type FeedContentType } from '../../domain/feed-run/formats.ts';
import type { FeedLimits } from '../../domain/feed-run/limits.ts';
import type { FeedRun } from '../../domain/feed-run/run.ts';
import { FEED_COLUMNS, type FieldColumns } from '../../domain/fields/field-columns.ts';
import { validatePatch } from '../../domain/fields/validate-patch.ts';
import type { DetectAnswer, DetectedFile } from '../../domain/profiles/detection/answer.ts';
import { mapFile, PROFILES } from '../../domain/profiles/profiles.ts';
import {
  inventoryLabels,
  mapInventoryFile,
  type StoreInventoryFile,
} from '../../domain/profiles/store-platform/inventory.ts';
import type { FeedRow, RowMessage } from '../../domain/row.ts';
import { nativeRows } from './row-source.ts';

/** Findings from before the file was stored. `file` says how to read it; answers leave it out. */
export interface RunDetection {
  readonly answer?: DetectAnswer;
  readonly file?: DetectedFile | StoreInventoryFile;
  readonly messages?: readonly RowMessage[];
}

function recordFormat(run: FeedRun, limits: FeedLimits): RecordFormat | null {
  if (run.source.delimiter === null) return null;
  return {
    encoding: run.source.encoding as TextEncodingName,
    delimiter: run.source.delimiter as RecordFormat['delimiter'],
    quoting: true,
    limits,
  };
}

/** Checks all fields of the rows of a profile. */
export async function* checkedRows(
  source: AsyncIterable<FeedRow[]>,
  columns: FieldColumns,
  exponent: number,
): AsyncGenerator<FeedRow[]> {
  for await (const rows of source) {
    yield rows.map((row) => {
      if (row.patch === null) return row;
      const { patch, messages } = validatePatch(row.patch, columns, exponent);
      return {
        ...row,
        patch,
        messages: messages.length === 0 ? row.messages : [...row.messages, ...messages],
      };
    });
  }
}

/** The column names for findings: those of the imported file, or those of the native feed. */
export function reportedColumns(run: FeedRun): FieldColumns {
  const file = (run.detection as RunDetection | null)?.file;
  if (file === undefined) return FEED_COLUMNS;
  return 'profile' in file ? PROFILES[file.profile].labels(file.header) : inventoryLabels(file.header);
}

/** Reads the rows of a run from the beginning of its file. */
export function openRows(
  db: CursorDb,
  services: Services,
  run: FeedRun,
  limits: FeedLimits,
  currency: string,
): AsyncIterable<FeedRow[]> {
  if (run.file_id === null) throw new Error('the file of the run was deleted');
  const fileId = run.file_id;
  const detection = run.detection as RunDetection | null;
  if (detection?.file !== undefined) {
    const { file } = detection;
    const open = () => services.files.read(db, fileId);
    const rows =
      'profile' in file ? mapFile(open, file, { seller_currency: currency }) : mapInventoryFile(open, file);
    return checkedRows(rows, reportedColumns(run), currencyExponent(currency));
  }
  const bytes = services.files.read(db, fileId);
  const format = FEED_FORMATS[run.source.content_type as FeedContentType];
  return nativeRows(bytes, {
    format,
    records: recordFormat(run, limits),
    limits,
    options: { mode: run.mode, currency },
  });
}
