import { error, info, warning } from './define.ts';

const RESAVE = 'Save the file as UTF-8 and send it again.';

/** Findings about the file, its header and the form of its records. */
export const FILE_CODES = {
  no_rows: error('The file has a header but no data rows.', 'Add at least one row below the header.'),
  too_many_rows: error('The file has more rows than the feed contract allows.', 'Split the file.'),
  header_missing: error('No header row was found.', 'The first row must name the columns.'),
  duplicate_header: error('Two columns have the same name.', 'Remove or rename one of them.'),
  required_column_missing: error('A required column is missing from the header.', 'Add the column.'),
  unknown_column: warning(
    'The column is not known and was not read.',
    'The feed contract lists the columns; own facts go into columns named attributes.<name>.',
  ),
  column_ignored_in_mode: warning('These columns are not read in this mode.'),
  column_count_mismatch: error(
    'The row has another number of cells than the header; no cell was moved.',
    'Quote cells that hold the delimiter or a line break.',
  ),
  row_blank: info('The row has no content and was ignored.'),
  row_not_object: error('The row is not a JSON object.', 'Each row must be an object of columns.'),
  nested_too_deep: error('The row nests deeper than the feed contract allows.'),
  json_invalid: error('The row is not valid JSON.'),
  row_too_long: error('The row is longer than the feed contract allows.'),
  cell_too_long: error('A cell is longer than the feed contract allows.'),
  too_many_columns: error('The row has more cells than the feed contract allows.'),
  quote_unclosed: error(
    'A quoted cell is never closed.',
    'Close the quote or double quotes inside the cell.',
  ),
  quote_misplaced: error('A quote stands in the middle of a cell.', 'Double quotes inside a quoted cell.'),
  encoding_invalid: error('The row holds bytes that are no text in the encoding of the file.', RESAVE),
  duplicate_in_file: error('The file has the same product twice with different data.'),
  system_error: error('The row could not be applied because of a fault of the service.', 'Send it again.'),
  timeout_not_attempted: error('The run ended before this row was reached.', 'Send it again.'),
} as const;
