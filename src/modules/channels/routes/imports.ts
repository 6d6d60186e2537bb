/** Imports of connected stores: docs/design/channels.md#import. */

import Type from 'typebox';
import { coreErrors } from '../../../kernel/errors.ts';
import { withDefault } from '../../../kernel/schema.ts';
import { defineRoute, okJson } from '../../../platform/http/define-route.ts';
import { writes } from '../../../platform/rest/access.ts';
import { FeedRunSchema } from '../../products/index.ts';
import { beginImport } from '../actions/import-store.ts';
import { channelErrors } from '../errors.ts';
import { IMPORT_RUN_EXAMPLE } from '../events.ts';
import { requireChannel } from './channels.ts';

const Import = Type.Object(
  {
    dry_run: Type.Optional(
      withDefault(true, Type.Boolean({ description: 'Preview only; commit the run to apply exactly this' })),
    ),
  },
  { title: 'ChannelImport', description: 'How to import a store.' },
);

export const importRoutes = [
  defineRoute({
    id: 'channels.imports.create',
    method: 'POST',
    path: '/{channel_id}/imports',
    summary: 'Import the products of a store',
    description:
      'The service reads the whole store into a feed run of kind `channel_import`; the routes of feed runs show, commit, cancel and revert it. A preview begins automatically when a store is connected. The plan limits the products, not the rows and the runs of a day. If the store cannot be read, the run fails and nothing is changed.',
    access: { ...writes('catalogue'), growsCatalogue: true },
    params: Type.Object({ channel_id: Type.String({ description: 'Id of the channel, `chn_…`' }) }),
    body: { kind: 'json', schema: Import, example: { dry_run: true } },
    ok: okJson(
      'The worker reads the store',
      FeedRunSchema,
      { ...IMPORT_RUN_EXAMPLE, status: 'received' as const },
      202,
    ),
    errors: [coreErrors.not_found, channelErrors.channel_not_connected, channelErrors.import_running],
    handler: async (ctx, { params: { channel_id }, body: { dry_run = true } }) => {
      const run = await beginImport(ctx, await requireChannel(ctx, channel_id), dry_run);
      ctx.audit({ target_type: 'channel', target_id: channel_id });
      const location = `/api/v1/products/feed-runs/${run.run_id}`;
      return { status: 202, headers: { location }, body: run };
    },
  }),
];
