/** What detection answers. Source: docs/design/feeds-and-imports.md#detection. */
import type { RecordFormat, TextEncodingName } from '../../../../../kernel/readers/records.ts';
import type { ImplausibleFinding } from '../auction/plausibility.ts';
import type { ProfileChoices, ProfileName } from '../profile.ts';

export interface DetectWarning {
  readonly code: string;
  readonly message: string;
  /** The number of rows with this finding. */
  readonly rows?: number;
  readonly columns?: readonly string[];
}

/** The most similar profile of a file that matches no profile, and why the file does not match it. */
export interface NearMiss {
  readonly profile: ProfileName;
  readonly score: number;
  readonly matched: readonly string[];
  /** Columns that the file lacks. With them it would match. */
  readonly missing: readonly string[];
  /** Columns that belong to another kind of file. */
  readonly against: readonly string[];
  readonly message: string;
}

/** A row as an import reads it. Amounts are JSON numbers. */
export interface SampleRow {
  readonly row_number: number;
  readonly line_start: number;
  readonly line_end: number;
  readonly role: string;
  readonly product: Readonly<Record<string, unknown>> | null;
  readonly messages: readonly {
    readonly code: string;
    readonly severity: string;
    readonly message: string;
  }[];
}

export interface DetectAnswer {
  readonly profile: ProfileName | null;
  readonly generation: string | null;
  readonly confidence: number;
  readonly encoding: TextEncodingName | null;
  readonly delimiter: RecordFormat['delimiter'] | null;
  /** The number of the header record, from 1. Blank lines are not counted. */
  readonly header_row: number | null;
  /** The number of records after the header. */
  readonly rows: number | null;
  /** `null` if the file names no currency. Then an import uses the seller's currency. */
  readonly currency: string | null;
  readonly columns: {
    readonly matched: readonly string[];
    readonly missing: readonly string[];
    readonly unknown: readonly string[];
  };
  readonly candidates: readonly { readonly profile: ProfileName; readonly score: number }[];
  readonly near_miss: NearMiss | null;
  readonly warnings: readonly DetectWarning[];
  readonly sample: readonly SampleRow[];
}

/** How detection has read the file. An import reads it in the same way. */
export interface DetectedFile {
  readonly profile: ProfileName;
  readonly generation: string;
  readonly format: RecordFormat;
  readonly header: readonly string[];
  /** The number of the header record, from 1. */
  readonly header_record: number;
  /** Whether the file can only update products. A row without a product is then rejected. */
  readonly update_only: boolean;
  /** The seller's choices at detection. */
  readonly choices: ProfileChoices;
  /** The reasons for refusing the whole file. */
  readonly stop: readonly ImplausibleFinding[];
}

type RefusalCode =
  | 'file_type_unsupported'
  | 'profile_not_recognised'
  | 'profile_ambiguous'
  | 'profile_mismatch'
  | 'shape_not_supported'
  | 'personal_data_refused';

/** Why a file cannot be imported. */
export interface DetectionRefusal {
  readonly code: RefusalCode;
  readonly status: 415 | 422;
  readonly message: string;
  readonly stated?: ProfileName;
  readonly detected?: ProfileName | null;
}

export interface ProfileDetection {
  readonly answer: DetectAnswer;
  /** `null` if the file matches no profile. */
  readonly file: DetectedFile | null;
  /** `null` if the file matches a profile. */
  readonly refusal: DetectionRefusal | null;
}
