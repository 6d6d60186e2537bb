/** The states of a channel. Source: docs/design/channels.md#states. */
import { defineMachine } from '../../../kernel/machine.ts';

export const CHANNEL_STATUSES = ['authorising', 'connected', 'degraded', 'ended'] as const;
export type ChannelStatus = (typeof CHANNEL_STATUSES)[number];

/** Why a channel is degraded, or how it ended. */
export const STATUS_REASONS = [
  'token_rejected',
  'refresh_expired',
  'scopes_missing',
  'unreachable',
  'abandoned',
  'disconnected',
  'revoked',
  'erased',
] as const;
export type StatusReason = (typeof STATUS_REASONS)[number];
/** Reasons that end when the store's owner authorises again. */
export const REAUTHORISE: readonly StatusReason[] = ['token_rejected', 'refresh_expired', 'scopes_missing'];

/** What is done in the store after the end. */
export const LEAVINGS = ['uninstall', 'unsubscribe'] as const;
export type Leaving = (typeof LEAVINGS)[number];

interface State {
  readonly status: ChannelStatus;
  readonly leaving: Leaving | null;
  readonly leaving_result: 'done' | 'failed' | null;
}
/** The channel has a connection, and its tokens are for that. */
export const isOpen = ({ status }: Pick<State, 'status'>): boolean =>
  status === 'connected' || status === 'degraded';
/** What the store says is applied. While `inbound` is paused, what is known of the store grows old. */
export const isFollowed = (row: Pick<State, 'status'> & { readonly inbound: string }): boolean =>
  isOpen(row) && row.inbound === 'active';
/** The channel has ended, and its tokens are for removing the app from the store. */
export const isLeaving = ({ status, leaving, leaving_result }: State): boolean =>
  status === 'ended' && leaving !== null && leaving_result === null;

export const channelMachine = defineMachine({
  name: 'channel',
  title: 'Channel',
  states: CHANNEL_STATUSES,
  rows: [
    {
      event: 'connect',
      from: [],
      to: ['authorising'],
      by: 'seller',
      guard: 'at most five channels that are not ended',
      emits: [],
    },
    {
      event: 'authorise',
      from: ['authorising'],
      to: ['connected'],
      by: 'store',
      guard: 'the store grants the scopes',
      emits: ['channel.connected'],
    },
    {
      event: 'abandon',
      from: ['authorising'],
      to: ['ended'],
      by: 'timer',
      guard: 'after 10 minutes, or when the store’s owner refuses',
      emits: [],
    },
    {
      event: 'impair',
      from: ['connected'],
      to: ['degraded'],
      by: 'timer',
      guard: 'a token or a scope is refused, or the store has not answered for 24 hours',
      emits: ['channel.degraded'],
    },
    {
      event: 'repair',
      from: ['degraded'],
      to: ['connected'],
      by: 'store',
      guard: 'it answers again, or its owner authorises again',
      emits: ['channel.recovered'],
    },
    {
      event: 'disconnect',
      from: ['authorising', 'connected', 'degraded'],
      to: ['ended'],
      by: 'seller',
      guard: null,
      emits: ['channel.ended'],
    },
    {
      event: 'revoke',
      from: ['connected', 'degraded'],
      to: ['ended'],
      by: 'store',
      guard: 'the app was uninstalled and its token no longer counts',
      emits: ['channel.ended'],
    },
    {
      event: 'leave',
      from: ['ended'],
      to: ['ended'],
      by: 'timer',
      guard: 'the app was removed from the store, or 24 hours have passed',
      emits: [],
    },
    {
      event: 'reconnect',
      from: ['ended'],
      to: ['authorising'],
      by: 'seller',
      guard: 'the same store has the same channel again, once the app was removed from it',
      emits: [],
    },
    {
      event: 'erase',
      from: ['ended'],
      to: ['ended'],
      by: 'store',
      guard: 'the store asks for erasure',
      emits: [],
    },
  ],
});
