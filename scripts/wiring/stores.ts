import type { Logger } from 'pino';
import type { EventLog } from '../../actors/services/events/event-log.ts';
import { type TakeBackDeps, takeBack } from '../../actors/services/scheduling/take-back.ts';
import { HooksInHand, handledAtOnce } from '../../actors/services/stores/at-once.ts';
import type { StoreDeps } from '../../actors/services/stores/links.ts';
import { createReadings } from '../../actors/services/stores/readings.ts';
import type { ReceiveDeps } from '../../actors/services/stores/receive.ts';
import { createRemembered } from '../../actors/services/stores/remembered.ts';
import { type CheckReminder, reminderCheck } from '../../actors/services/stores/reminders.ts';
import { createSigningKeys } from '../../actors/services/stores/signing-keys.ts';
import type { TestDeps } from '../../actors/services/stores/test-message.ts';
import type { StoreLinkCommand } from '../../actors/store-link/protocol.ts';
import { storeLinkActorId, storeLinkKind } from '../../actors/store-link/register.ts';
import type { TenantHints } from '../../actors/tenant/hints.ts';
import type { ActorSystem } from '../../runtime/actor-system/system.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { ClusterActors } from '../../runtime/cluster/cluster-actors.ts';
import type { Sealer } from '../../runtime/sealing/seal.ts';
import type { Tenants } from '../../store/accounts/tenants.ts';
import type { Consents } from '../../store/consent/consents.ts';
import type { Devices } from '../../store/devices/devices.ts';
import type { Store } from '../../store/port.ts';
import { scheduledIn } from '../../store/scheduling/scheduled.ts';
import type { Wakeups } from '../../store/scheduling/wakeups.ts';
import { storeHooksIn } from '../../store/store-links/hooks.ts';
import { storeLinksIn } from '../../store/store-links/links.ts';
import { storeMemoryIn } from '../../store/store-links/memory.ts';
import { shopsIn } from '../../store/store-links/shops.ts';
import type { Config } from './config.ts';

export interface StoreServices {
  readonly stores: StoreDeps & TestDeps;
  readonly storeReceiving: Omit<ReceiveDeps, 'countHook' | 'countForgery'>;
}

export interface StoreParts extends Pick<TakeBackDeps, 'messages' | 'hintDevice'> {
  readonly consents: Pick<Consents, 'statusOf'>;
  readonly config: Config;
  readonly clock: Clock;
  readonly log: Logger;
  readonly store: Store;
  readonly actors: ActorSystem;
  readonly everywhere: ClusterActors;
  readonly devices: Devices;
  readonly tenants: Tenants;
  readonly sealer: Sealer;
  readonly eventLog: EventLog;
  readonly wakeups: Pick<Wakeups, 'put'>;
  readonly tenantHints: TenantHints;
}

export function startReminders({ store, sealer, tenants, log }: Pick<StoreParts, 'store' | 'sealer' | 'tenants' | 'log'>): CheckReminder {
  return reminderCheck({
    links: storeLinksIn(store),
    hooks: storeHooksIn(store),
    tenants,
    remembered: createRemembered(storeMemoryIn(store), sealer, log),
  });
}

export function startStores(parts: StoreParts): StoreServices {
  const { config, clock, log, store, actors, everywhere, devices, tenants, sealer, eventLog, wakeups, tenantHints } = parts;
  const { messages, hintDevice, consents } = parts;
  const links = storeLinksIn(store);
  const hooks = storeHooksIn(store);
  const memory = storeMemoryIn(store);
  const scheduled = scheduledIn(store);
  const remembered = createRemembered(memory, sealer, log);

  async function announceScheduled(tenantId: string): Promise<void> {
    await wakeups.put(tenantId, clock.now(), 'sends');
    tenantHints.eventsArrived(tenantId);
  }

  const takingBack = (tenantId: string, id: string): Promise<void> => takeBack({ scheduled, messages, hintDevice }, tenantId, id);
  const deps = {
    links,
    shops: shopsIn(store, { links, tenants, devices }),
    hooks,
    readings: createReadings(),
    remembered,
    scheduled,
    eventLog,
    sealer,
    clock,
    log,
    wakeups,
    node: config.node_id,
    together: store.together ? <R>(issue: () => R): R => (store.together ? store.together(issue) : issue()) : null,
    hintScheduled: tenantHints.eventsArrived,
    takeBack: takingBack,
    hasOptedOut: async (tenantId: string, phone: string) => (await consents.statusOf(tenantId, [phone])).get(phone) === 'opted_out',
  };
  everywhere.register(storeLinkKind(deps));

  return {
    stores: { links, hooks, memory, scheduled, sealer, plans: config.plans, announceScheduled, takeBack: takingBack },
    storeReceiving: {
      links,
      hooks,
      sealer,
      signingKeys: createSigningKeys(sealer),
      monotonic: () => clock.monotonic(),
      inHand: new HooksInHand(),
      // Delivers directly if the link's actor is awake on this node. Otherwise, the actor reads the
      // webhook from the store.
      async atOnce({ tenant_id, _id }, hook) {
        const id = storeLinkActorId(tenant_id, _id);
        if (!store.together || !actors.has('store-link', id)) return null;
        return handledAtOnce(actors.ref<StoreLinkCommand>('store-link', id), hook);
      },
      storeLink: ({ tenant_id, _id }) => everywhere.ref<StoreLinkCommand>('store-link', storeLinkActorId(tenant_id, _id)),
    },
  };
}
