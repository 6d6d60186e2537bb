import { defineErrors } from '../../kernel/errors.ts';

export const channelErrors = defineErrors({
  channel_limit: {
    status: 409,
    detail: 'You have five channels that are not ended; disconnect one first.',
    facts: { limit: 5 },
  },
  shop_already_connected: {
    status: 409,
    detail: 'This store is connected already; use its channel, or reauthorise it.',
    facts: { channel_id: 'chn_01j0000000000000000000000' },
  },
  shop_connected_elsewhere: {
    status: 409,
    detail: 'This store is connected to another account; disconnect it there first.',
  },
  channel_not_connected: {
    status: 409,
    detail: 'The store is not connected; its channel says what to do.',
    facts: { status: 'degraded' },
  },
  import_running: {
    status: 409,
    detail: 'The store is being imported; wait for the run, or cancel it.',
    facts: { run_id: 'frn_01j0000000000000000000000' },
  },
  channel_leaving: {
    status: 409,
    detail:
      'The channel has ended and the app is being removed from the store; try again in some seconds, or after `leaving_until` if the store does not answer.',
    facts: { leaving_until: '2026-06-29T01:00:00.000Z' },
  },
  channel_ended: {
    status: 409,
    detail: 'The channel has ended; connect its store again with POST /channels.',
    facts: { status_reason: 'disconnected' },
  },
  product_already_linked: {
    status: 409,
    detail: 'Another variant of this store is this product; unlink that one first.',
    facts: { link_id: 'lnk_01j0000000000000000000000' },
  },
  level_unknown: {
    status: 409,
    detail:
      'What the store has is not known: the channel is paused or has ended, the store has not answered since, the variant is not linked, no location is selected, or the store does not count there. Mend that, or wait for the next level.',
  },
  link_gone: {
    status: 409,
    detail: 'The store no longer has this variant; the link is found again when the store has it.',
  },
  action_not_possible: {
    status: 409,
    detail: 'This action does not resolve this issue; use one of `allowed`.',
    facts: { allowed: ['link', 'ignore'] },
  },
  issue_closed: {
    status: 409,
    detail: 'The issue is closed already; its `resolution` says how.',
    facts: { resolution: 'linked' },
  },
});
