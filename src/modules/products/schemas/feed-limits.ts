import Type from 'typebox';

/** The limits that bind one feed of the seller. */
export const feedLimitFields = {
  max_bytes: Type.Integer({ description: 'Largest file in bytes, after decompression' }),
  max_rows: Type.Integer({ description: 'Most rows of one file; the plan sets it' }),
  max_row_bytes: Type.Integer({ description: 'Longest row in bytes' }),
  max_cell_bytes: Type.Integer({ description: 'Longest cell in bytes' }),
  max_columns: Type.Integer({ description: 'Most columns of one file' }),
  max_sync_seconds: Type.Integer({ description: 'Seconds after which a synchronous run is stopped' }),
  max_async_seconds: Type.Integer({ description: 'Seconds after which an asynchronous run is stopped' }),
};
