/** The context of a sealed secret. The secret can be opened only with the same context. */
export const secretContext = (endpointId: string): string => `webhook_endpoint:${endpointId}`;
