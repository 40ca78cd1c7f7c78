export const deviceActorId = (tenantId: string, sessionId: string): string => `${tenantId}.${sessionId}`;

export function deviceOfActor(id: string): { readonly tenantId: string; readonly sessionId: string } {
  const [tenantId = '', sessionId = ''] = id.split('.');
  return { tenantId, sessionId };
}
