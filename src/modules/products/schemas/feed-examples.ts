/** Examples for the API description. */

import type { Static } from 'typebox';
import { PLAN_LIMIT_ANSWERS } from '../domain/feed-run/limits.ts';
import type { FeedRunSchema } from './feed-run.ts';

export const RUN_EXAMPLE: Static<typeof FeedRunSchema> = {
  run_id: 'frn_01kc6q3v8x0a4m2h9d7t5w1z6y',
  kind: 'products',
  mode: 'upsert',
  on_error: 'continue',
  dry_run: false,
  status: 'succeeded_with_errors',
  counts: {
    rows: 3,
    created: 1,
    updated: 1,
    unchanged: 0,
    deactivated: 0,
    merged: 0,
    staged: 0,
    ignored: 0,
    rejected: 1,
    not_attempted: 0,
    warnings: 0,
  },
  source: {
    filename: null,
    content_type: 'text/csv',
    bytes: 412,
    sha256: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
    encoding: 'utf-8',
    delimiter: ',',
    profile: null,
  },
  idempotency_key: '3f0c8a52-5d54-4c1e-9a55-0d6a3e1f7a10',
  replay_key: 'req_01kc6q3v8x0a4m2h9d7t5w1z6z',
  contract_version: '1.0',
  commits_run_id: null,
  reverts_run_id: null,
  error: null,
  detection: null,
  received_at: '2026-11-21T02:00:00.000Z',
  started_at: '2026-11-21T02:00:00.050Z',
  finished_at: '2026-11-21T02:00:00.120Z',
  progress: { rows_done: 3, rows_total: 3 },
  links: {
    self: '/api/v1/products/feed-runs/frn_01kc6q3v8x0a4m2h9d7t5w1z6y',
    row_results: '/api/v1/products/feed-runs/frn_01kc6q3v8x0a4m2h9d7t5w1z6y/row-results',
  },
};

export const RUN_WITH_ROWS_EXAMPLE = {
  ...RUN_EXAMPLE,
  row_results: [
    {
      row_number: 3,
      line_start: 4,
      line_end: 4,
      seller_sku: 'MUG-RED',
      product_id: null,
      outcome: 'rejected',
      part_of: null,
      identity_resolution: null,
      changes: [],
      messages: [
        {
          code: 'gtin_check_digit',
          severity: 'error',
          column: 'global_id',
          value_excerpt: '9312345678901',
          message: 'The check digit is wrong.',
          expected: '7',
        },
      ],
      raw_sha256: '2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae',
    },
  ],
};

export const CONTRACT_EXAMPLE = {
  contract_version: '1.0',
  max_bytes: 67_108_864,
  max_rows: 10_000,
  max_row_bytes: 1_048_576,
  max_cell_bytes: 131_072,
  max_columns: 512,
  max_sync_seconds: 60,
  max_async_seconds: 900,
  content_types: ['text/csv'],
  content_encodings: ['identity', 'gzip'],
  encodings: ['utf-8'],
  delimiters: [','],
  modes: ['upsert'],
  on_error: ['continue', 'abort'],
  plan_limits: [{ limit: 'products', allowed: 100, ...PLAN_LIMIT_ANSWERS.products }],
  async_available: false,
  runs_remaining_today: 199,
  evidence_retention_days: 90,
  columns: [{ name: 'seller_sku', required: true, type: 'text', rule: '1 to 64 characters' }],
  import_profiles: ['store_platform_products'],
  error_codes: [{ code: 'gtin_check_digit', severity: 'error', message: 'The check digit is wrong.' }],
  file_errors: [
    { code: 'feed_too_large', status: 413, message: 'The file is larger than the feed contract allows.' },
  ],
  templates: [
    {
      name: 'inventory.csv',
      path: '/api/v1/products/inventory/import',
      content_type: 'text/csv',
      content: 'seller_sku,quantity,reorder_point\r\nMUG-BLU,25,5\r\n',
    },
  ],
};
