/** The id of a device's actor: keys of actors contain the tenant. */
export const deviceActorId = (tenantId: string, sessionId: string): string => `${tenantId}.${sessionId}`;
