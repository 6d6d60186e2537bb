/** The context that a sealed secret belongs to: it opens with no other. */
export const secretContext = (endpointId: string): string => `webhook_endpoint:${endpointId}`;
