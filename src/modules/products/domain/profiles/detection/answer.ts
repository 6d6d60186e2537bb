/** The answer of detection, in the shape of docs/design/feeds-and-imports.md#detection. */
import type { RecordFormat, TextEncodingName } from '../../../../../kernel/readers/records.ts';
import type { ImplausibleFinding } from '../auction/plausibility.ts';
import type { ProfileChoices, ProfileName } from '../profile.ts';

export interface DetectWarning {
  readonly code: string;
  readonly message: string;
  /** Number of rows with this finding. */
  readonly rows?: number;
  readonly columns?: readonly string[];
}

/** The nearest profile of a file that fits none, and the reason. */
export interface NearMiss {
  readonly profile: ProfileName;
  readonly score: number;
  readonly matched: readonly string[];
  /** Columns without which the file is not recognised. */
  readonly missing: readonly string[];
  /** Columns that belong to another kind of file. */
  readonly against: readonly string[];
  readonly message: string;
}

/** A row as the import would read it; amounts as JSON numbers. */
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
  /** Number of the header among the records of the file, from 1; blank lines are no records. */
  readonly header_row: number | null;
  /** Records after the header. */
  readonly rows: number | null;
  /** `null`: the file names no currency, so the seller's own is used. */
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

/** How an import reads the file: exactly as detection did. */
export interface DetectedFile {
  readonly profile: ProfileName;
  readonly generation: string;
  readonly format: RecordFormat;
  readonly header: readonly string[];
  /** Records before the first data record, the header included. */
  readonly header_record: number;
  /** The file cannot create products: rows without a match are refused. */
  readonly update_only: boolean;
  /** The seller's choices at detection. */
  readonly choices: ProfileChoices;
  /** Reasons for applying nothing of the file. */
  readonly stop: readonly ImplausibleFinding[];
}

export type RefusalCode =
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
  /** `null` exactly when `answer.profile` is. */
  readonly file: DetectedFile | null;
  /** `null` exactly when the file can be imported. */
  readonly refusal: DetectionRefusal | null;
}
