import type { ActorRef } from '../../runtime/actor.ts';
import type { TenantCommand } from './protocol.ts';

/** Wakes tenants for what is in the store and on the agenda already: a hint that is lost costs time, nothing else. */
export interface TenantHints {
  /** Many in a row become a few. */
  eventsArrived(tenantId: string): void;
  webhookChanged(tenantId: string, webhookId: string): void;
}

export function createTenantHints(tenant: (tenantId: string) => ActorRef<TenantCommand>): TenantHints {
  /** Tenants that are being told, and whether more came meanwhile. */
  const telling = new Map<string, boolean>();

  function eventsArrived(tenantId: string): void {
    if (telling.has(tenantId)) return void telling.set(tenantId, true);
    telling.set(tenantId, false);
    const over = (): void => {
      const again = telling.get(tenantId);
      telling.delete(tenantId);
      if (again) eventsArrived(tenantId);
    };
    tenant(tenantId).ask({ type: 'eventsArrived' }).then(over, over);
  }

  return {
    eventsArrived,
    webhookChanged(tenantId, webhookId) {
      tenant(tenantId)
        .ask({ type: 'webhookChanged', webhookId })
        .catch(() => undefined);
    },
  };
}
