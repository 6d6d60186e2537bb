/** The states of a channel. Source: docs/design/channels.md#states. */
import { defineMachine, move } from '../../../kernel/machine.ts';

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
    move('connect', [], 'authorising', 'seller', { guard: 'at most five channels that are not ended' }),
    move('authorise', 'authorising', 'connected', 'store', {
      guard: 'the store grants the scopes',
      emits: ['channel.connected'],
    }),
    move('abandon', 'authorising', 'ended', 'timer', {
      guard: 'after 10 minutes, or when the store’s owner refuses',
    }),
    move('impair', 'connected', 'degraded', 'timer', {
      guard: 'a token or a scope is refused, or the store has not answered for 24 hours',
      emits: ['channel.degraded'],
    }),
    move('repair', 'degraded', 'connected', 'store', {
      guard: 'it answers again, or its owner authorises again',
      emits: ['channel.recovered'],
    }),
    move('disconnect', ['authorising', 'connected', 'degraded'], 'ended', 'seller', {
      emits: ['channel.ended'],
    }),
    move('revoke', ['connected', 'degraded'], 'ended', 'store', {
      guard: 'the app was uninstalled and its token no longer counts',
      emits: ['channel.ended'],
    }),
    move('leave', 'ended', 'ended', 'timer', {
      guard: 'the app was removed from the store, or 24 hours have passed',
    }),
    move('reconnect', 'ended', 'authorising', 'seller', {
      guard: 'the same store has the same channel again, once the app was removed from it',
    }),
    move('erase', 'ended', 'ended', 'store', { guard: 'the store asks for erasure' }),
  ],
});
