/** Reads the records after the header: counts them, maps the first ones, and collects a sample and the findings. */
import { minorToJson } from '../../../../../kernel/money.ts';
import type { FeedRow, ProductPatch } from '../../row.ts';
import { readAuctionHeader } from '../auction/columns.ts';
import { createPlausibilityCheck, type ImplausibleFinding } from '../auction/plausibility.ts';
import { isInfoLine } from '../cell.ts';
import type { MapperContext } from '../profile.ts';
import { PROFILES } from '../profiles.ts';
import type { DetectWarning, SampleRow } from './answer.ts';
import { type OpenFile, recordsAfterHeader } from './dialects.ts';
import type { HeaderMatch } from './find-header.ts';
import type { Fingerprint } from './fingerprints.ts';

/** Source: docs/design/feeds-and-imports.md#detection. */
const SAMPLE_ROWS = 5;
/** Only so many records are mapped for the findings. To map all would take as long as the import. */
const MAPPED_RECORDS = 1_000;

interface Survey {
  readonly rows: number;
  readonly sample: readonly SampleRow[];
  readonly currency: string | null;
  readonly findings: readonly DetectWarning[];
  readonly stop: readonly ImplausibleFinding[];
}

export async function surveyFile(
  open: OpenFile,
  match: HeaderMatch<Fingerprint>,
  context: MapperContext,
): Promise<Survey> {
  const { profile } = match.pattern;
  const header = match.head.record.cells;
  const settings = { ...context, delimiter: match.format.delimiter };
  // The sample also shows rows after a second header, although an import stops there.
  const mapper = PROFILES[profile].createMapper(header, { on_second_header: 'keep', ...settings });
  const plausibility = profile === 'auction_file_exchange' ? createPlausibilityCheck(header, settings) : null;
  const seen = new SurveyedRows();
  let rows = 0;
  for await (const batch of recordsAfterHeader(open, match.format, match.head.number)) {
    for (const record of batch) {
      rows += 1;
      if (rows <= MAPPED_RECORDS) seen.add(mapper.push(record));
      plausibility?.push(record);
    }
  }
  seen.add(mapper.end());
  const stop = plausibility?.verdict() ?? [];
  return { rows, sample: seen.sample, currency: currencyOf(match, seen), findings: seen.findings(), stop };
}

class SurveyedRows {
  readonly sample: SampleRow[] = [];
  private readonly codes = new Map<string, { message: string; rows: number }>();
  currency: string | null = null;

  add(rows: readonly FeedRow[]): void {
    for (const row of rows) {
      this.currency ??= row.patch?.currency ?? null;
      if (this.sample.length < SAMPLE_ROWS && isSampled(row)) this.sample.push(sampleRow(row));
      for (const code of new Set(row.messages.map((message) => message.code))) this.count(code, row);
    }
  }

  private count(code: string, row: FeedRow): void {
    const finding = row.messages.find((message) => message.code === code);
    if (finding === undefined || finding.severity === 'info') return;
    const known = this.codes.get(code);
    if (known === undefined) this.codes.set(code, { message: finding.message, rows: 1 });
    else known.rows += 1;
  }

  /** The findings of the mapped rows, one for each code, the most frequent first. */
  findings(): readonly DetectWarning[] {
    const sorted = [...this.codes].sort(([, one], [, two]) => two.rows - one.rows);
    return sorted.map(([code, { message, rows }]) => ({ code, message, rows }));
  }
}

function currencyOf({ pattern, head, format }: HeaderMatch<Fingerprint>, seen: SurveyedRows): string | null {
  if (pattern.profile !== 'auction_file_exchange') return seen.currency;
  return readAuctionHeader(head.record.cells, format.delimiter).currency ?? seen.currency;
}

/** Whether the sample shows a row: it is a product, or it cannot be read. */
function isSampled(row: FeedRow): boolean {
  return (
    row.role !== 'merged' && row.role !== 'ignored' && !isInfoLine(row.cells?.map((cell) => cell ?? '') ?? [])
  );
}

function sampleRow(row: FeedRow): SampleRow {
  const failed = row.messages.some((message) => message.severity === 'error');
  return {
    row_number: row.row_number,
    line_start: row.line_start,
    line_end: row.line_end,
    role: failed ? 'rejected' : (row.role ?? 'product'),
    product: row.patch === null ? null : patchToJson(row.patch),
    messages: row.messages.map(({ code, severity, message }) => ({ code, severity, message })),
  };
}

function patchToJson(patch: ProductPatch): Readonly<Record<string, unknown>> {
  const json: Record<string, unknown> = { ...patch };
  for (const field of ['price_minor', 'compare_at_minor'] as const) {
    const amount = patch[field];
    if (typeof amount === 'bigint') json[field] = minorToJson(amount);
  }
  return json;
}
