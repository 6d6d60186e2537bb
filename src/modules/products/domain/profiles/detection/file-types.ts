/** Why files of other types than text are refused. Source: docs/design/feeds-and-imports.md#detection. */

const SAVE_AS = 'Open it in a spreadsheet and save it as CSV (UTF-8).';

const REASONS: Readonly<Record<string, string>> = {
  zip: `This is an Excel workbook or another ZIP file, not a text file. ${SAVE_AS}`,
  ole: `This is an old Excel workbook, not a text file. ${SAVE_AS}`,
  gzip: 'This is a gzip file. Send it with the header Content-Encoding: gzip, or unpack it first.',
  pdf: 'This is a PDF document. Download the listings as CSV or text instead.',
  html: 'This is a web page, probably a login or error page instead of the file. Download the file again.',
  xml: `This is an XML document, not a text table. ${SAVE_AS}`,
  'utf-32': 'This text file is in UTF-32, which the service cannot read. Save it as UTF-8.',
};

/**
 * Why a file is refused.
 *
 * @param magic the file type that the first bytes show
 */
export function fileTypeReason(magic: string): string {
  return REASONS[magic] ?? `This is a ${magic} file, not a text table. ${SAVE_AS}`;
}
