/** What a file is by its bytes, and the copy of it that is stored. It takes up to seconds, so a thread runs it. */
import { readImage } from '../../kernel/images/read-image.ts';
import { fileMagic } from '../../kernel/readers/text/file-magic.ts';
import { checkPdf } from './check-pdf.ts';
import { isPlainText } from './check-text.ts';
import { cleanImage, isCleanType, type OUT_OF_TIME, readsImages } from './clean-image.ts';
import { type FileProblem, isProblem } from './errors.ts';

export const DOCUMENT_TYPES = ['image/jpeg', 'image/png', 'image/webp', 'application/pdf'] as const;
type DocumentType = (typeof DOCUMENT_TYPES)[number];
/** A text belongs to conversations only. */
export type FileType = DocumentType | 'text/plain';

/** `identity`: documents that no seller gets back. */
export type FileUse = 'identity' | 'conversation';

/** What a file should be. */
export interface Wanted {
  readonly use: FileUse;
  /** The type that the sender gives; undefined: the bytes alone say it. */
  readonly stated: string | undefined;
  /** Least pixels of the shorter side of an image. */
  readonly sideMin: number;
}

/** What is stored of a file that breaks no rule. */
export interface Checked {
  readonly content_type: FileType;
  /** The copy; undefined: the bytes as they were sent. */
  readonly copy: Uint8Array<ArrayBuffer> | undefined;
  readonly pages: number | null;
  readonly width: number | null;
  readonly height: number | null;
}

/** A kind of file that is not taken. */
type Unsupported = { readonly detected: string };
export type CheckResult = Checked | FileProblem | Unsupported;
/** `out_of_time`: the machine was too busy. */
export type CheckEnd = CheckResult | typeof OUT_OF_TIME;

/** The kind of a file by its bytes; another word for what is not taken. */
function detect(bytes: Buffer, use: FileUse): FileType | FileProblem | Unsupported {
  const magic = fileMagic(bytes);
  if (magic === 'pdf') return 'application/pdf';
  const image = readImage(bytes);
  if (typeof image === 'object')
    return isCleanType(image.content_type) ? image.content_type : { detected: image.content_type };
  if (image !== 'image_type_unknown') return 'attachment_unreadable';
  const isText = use === 'conversation' && magic === undefined && isPlainText(bytes);
  return isText ? 'text/plain' : { detected: magic ?? 'unknown' };
}

/** Checks a file, and makes the copy of an image. */
export async function checkFile(bytes: Buffer, { use, stated, sideMin }: Wanted): Promise<CheckEnd> {
  const content_type = detect(bytes, use);
  if (typeof content_type === 'object' || isProblem(content_type)) return content_type;
  if (stated !== undefined && stated !== content_type) return 'attachment_type_mismatch';
  const asSent = { content_type, copy: undefined, pages: null, width: null, height: null };
  if (content_type === 'text/plain') return asSent;
  if (!isCleanType(content_type)) {
    const checked = await checkPdf(bytes);
    return typeof checked === 'string' ? checked : { ...asSent, ...checked };
  }
  if (!readsImages()) return { detected: content_type };
  const image = await cleanImage(bytes, sideMin);
  if (typeof image === 'string') return image;
  const { width, height } = image;
  return { ...asSent, copy: new Uint8Array(image.bytes), width, height };
}
