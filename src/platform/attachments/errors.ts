import { defineErrors } from '../../kernel/errors.ts';

export const attachmentErrors = defineErrors({
  attachment_too_large: {
    status: 413,
    detail: 'The file is larger than this route accepts.',
    facts: { max_bytes: 10_485_760 },
  },
  attachment_kind_unsupported: {
    status: 415,
    detail: 'Send a JPEG, PNG or WebP image, or a PDF; in a conversation also a text in UTF-8.',
    facts: { detected: 'zip' },
  },
  attachment_expired: {
    status: 410,
    detail: 'The file was deleted, as all files are some time after their conversation has ended.',
  },
  scan_unavailable: {
    status: 503,
    detail: 'The file cannot be scanned now; retry after the seconds in Retry-After.',
  },
});

/** The 422 problems of a file, at the body. */
export const FILE_PROBLEMS = {
  attachment_type_mismatch: 'The file is of another type than the Content-Type says.',
  attachment_unreadable: 'The file is damaged, cut off, or has other data after its end; save it again.',
  attachment_encrypted: 'The PDF is encrypted; send it without a password.',
  attachment_active_content:
    'The PDF has scripts, attached files, or actions that start programs, send data, or open other files or a web address on their own; print it to a new PDF.',
  attachment_infected: 'The scanner has found malware in the file.',
  image_too_small: 'The shorter side of the image has too few pixels; photograph or scan it again.',
} as const;
export type FileProblem = keyof typeof FILE_PROBLEMS;
export const isProblem = (word: string): word is FileProblem => Object.hasOwn(FILE_PROBLEMS, word);
