/** The context of the sealed tokens of a channel. They can be opened only with the same context. */
export const tokenContext = (channelId: string): string => `channel:${channelId}`;
