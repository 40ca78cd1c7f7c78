import type { ActorRef } from '../../runtime/actor-system/actor.ts';
import type { TenantCommand } from './protocol.ts';

/** Notifies actors of new work, which is already stored. A lost notification only causes a delay. */
export interface TenantHints {
  eventsArrived(tenantId: string): void;
  webhookChanged(tenantId: string, webhookId: string): void;
}

export function createTenantHints(tenant: (tenantId: string) => ActorRef<TenantCommand>): TenantHints {
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
