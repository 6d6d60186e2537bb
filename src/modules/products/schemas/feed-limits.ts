import Type from 'typebox';

/** The limits for one feed of the seller. */
export const feedLimitFields = {
  max_bytes: Type.Integer({ description: 'Maximum size of a file in bytes, after decompression' }),
  max_rows: Type.Integer({ description: 'Maximum number of rows in a file, by plan' }),
  max_row_bytes: Type.Integer({ description: 'Maximum size of a row in bytes' }),
  max_cell_bytes: Type.Integer({ description: 'Maximum size of a cell in bytes' }),
  max_columns: Type.Integer({ description: 'Maximum number of columns' }),
  max_sync_seconds: Type.Integer({ description: 'Time limit of a synchronous run in seconds' }),
  max_async_seconds: Type.Integer({ description: 'Time limit of an asynchronous run in seconds' }),
};
