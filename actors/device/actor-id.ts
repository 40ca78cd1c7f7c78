/** The id of a device's actor: keys of actors contain the tenant. */
export const deviceActorId = (tenantId: string, sessionId: string): string => `${tenantId}.${sessionId}`;

/** The device of such an id. */
export function deviceOfActor(id: string): { readonly tenantId: string; readonly sessionId: string } {
  const [tenantId = '', sessionId = ''] = id.split('.');
  return { tenantId, sessionId };
}
