import { error, info, warning } from './define.ts';

const SAVE_AS_UTF8 = 'Save the file as UTF-8 and send it again.';

/** Findings about the file, its header and the form of its records. */
export const FILE_CODES = {
  no_rows: error('The file has a header but no data rows.', 'Add at least one row below the header.'),
  too_many_rows: error('The file has too many rows.', 'Split the file.'),
  header_missing: error('The file has no header row.', 'Write the column names in the first row.'),
  duplicate_header: error('Two columns have the same name.', 'Remove or rename one of them.'),
  required_column_missing: error('The header row has no column for a required field.', 'Add the column.'),
  unknown_column: warning(
    'This column is unknown and was ignored.',
    'The feed contract lists the columns. Put custom attributes into columns named attributes.<name>.',
  ),
  column_ignored_in_mode: warning('These columns are ignored in this mode.'),
  column_count_mismatch: error(
    'The row does not have as many cells as the header.',
    'Put quotes around values that contain the delimiter or a line break.',
  ),
  row_blank: info('The row is blank and was ignored.'),
  row_not_object: error('The row is not a JSON object.', 'Write each row as an object of columns.'),
  nested_too_deep: error('The row has too many levels of nesting.'),
  json_invalid: error('The row is not valid JSON.'),
  row_too_long: error('The row is too long.'),
  cell_too_long: error('A cell of the row is too long.'),
  too_many_columns: error('The row has too many cells.'),
  quote_unclosed: error(
    'A quoted cell is not closed.',
    'Close the quote, or double the quotes that are part of the value.',
  ),
  quote_misplaced: error(
    'The row has a quote in the middle of a cell.',
    'Put the cell in quotes and double the quotes that are part of the value.',
  ),
  encoding_invalid: error("The row has characters that are not valid in the file's encoding.", SAVE_AS_UTF8),
  duplicate_in_file: error('The file has the same product twice with different data.'),
  system_error: error('The service failed to apply the row.', 'Send it again.'),
  timeout_not_attempted: error('The run ended before it reached this row.', 'Send it again.'),
} as const;
