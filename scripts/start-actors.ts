import type { Logger } from 'pino';
import { withConsent } from '../actors/consent/withhold.ts';
import { keepContacts } from '../actors/crm/follow-contacts.ts';
import { LoginGate } from '../actors/device/login-gate.ts';
import { pacingIn } from '../actors/device/pace.ts';
import type { DeviceCommand, Pacing } from '../actors/device/protocol.ts';
import { createRemoval } from '../actors/device/removal.ts';
import { deviceActorId, deviceKind } from '../actors/device/spawn.ts';
import { weigh } from '../actors/device/weight.ts';
import { recordEvents } from '../actors/events/follow-messages.ts';
import { keepChats } from '../actors/inbox/follow-chats.ts';
import type { MediaLibrary } from '../actors/media/library.ts';
import { messageFiles } from '../actors/media/message-files.ts';
import type { Network } from '../actors/network/port.ts';
import { createOperations, type Operations } from '../actors/operations.ts';
import { createSender, PLATFORM, type Sender } from '../actors/sender.ts';
import { createSending, type Sending } from '../actors/sending.ts';
import { settingsOf } from '../actors/settings.ts';
import type { ActorRef } from '../runtime/actor.ts';
import type { Chance } from '../runtime/chance.ts';
import type { Clock } from '../runtime/clock.ts';
import { ClusterActors } from '../runtime/cluster/actors.ts';
import { leased } from '../runtime/cluster/leased.ts';
import type { Cluster } from '../runtime/cluster/port.ts';
import { Steward } from '../runtime/cluster/steward.ts';
import { ActorSystem } from '../runtime/system.ts';
import { type Chats, chatsIn } from '../store/chats.ts';
import type { Store } from '../store/collection.ts';
import { type Consents, consentsIn } from '../store/consents.ts';
import { type DeviceDays, deviceDaysIn } from '../store/device-days.ts';
import { type DeviceRow, type Devices, devicesIn } from '../store/devices.ts';
import { type Fleet, fleetIn } from '../store/fleet.ts';
import { keyringsIn } from '../store/keyrings.ts';
import { type Messages, messagesIn } from '../store/messages.ts';
import { queueIn } from '../store/queue.ts';
import { type Tenants, tenantsIn } from '../store/tenants.ts';
import { type Usage, usageIn } from '../store/usage.ts';
import type { Config } from './config.ts';
import { type AgentWorld, startAgents } from './start-agents.ts';
import { type AutoReplyWorld, startAutoReplies } from './start-auto-replies.ts';
import { type BlastWorld, startBlasts } from './start-blasts.ts';
import { type ConsentWorld, startConsent } from './start-consent.ts';
import { type CrmWorld, startCrm } from './start-crm.ts';
import { type LaterWorld, startLater } from './start-later.ts';
import { type PeopleWorld, startPeople } from './start-people.ts';
import { type StreamWorld, startStreams } from './start-streams.ts';
import { startTenants, type TenantWorld } from './start-tenants.ts';

type Addressed = Pick<DeviceRow, '_id' | 'tenant_id'>;

/** The behaving part of a node and the repositories that it shares with HTTP. */
export interface ActorWorld
  extends Omit<TenantWorld, 'wanted' | 'leave' | 'tell'>,
    Omit<BlastWorld, 'followRecipients' | 'blastsChanged' | 'wantedBlasts'>,
    StreamWorld,
    PeopleWorld,
    AgentWorld,
    LaterWorld,
    Omit<CrmWorld, 'clerksWanted'>,
    Omit<ConsentWorld, 'followUp'>,
    Omit<AutoReplyWorld, 'followUp'> {
  readonly consents: Consents;
  readonly actors: ActorSystem;
  readonly cluster: Cluster;
  readonly everywhere: ClusterActors;
  readonly steward: Steward;
  readonly operations: Operations;
  readonly devices: Devices;
  readonly fleet: Fleet;
  readonly messages: Messages;
  readonly chats: Chats;
  readonly media: MediaLibrary;
  readonly tenants: Tenants;
  readonly usage: Usage;
  readonly sending: Sending;
  readonly sender: Sender;
  readonly loginGate: LoginGate;
  readonly days: DeviceDays;
  device(row: Addressed): ActorRef<DeviceCommand>;
  /** Takes a device's row away, once its end is told. */
  removeDevice(device: DeviceRow): Promise<void>;
  /** Joins the cluster, which brings online what should be. */
  start(): Promise<void>;
  /** The tenant's settings changed: running devices hear their new pace. */
  settingsChanged(tenantId: string): void;
  /** Gives every actor away once its acks are in, or after `timeoutMs`, and leaves the cluster. */
  leave(timeoutMs: number): Promise<void>;
}

export interface ActorParts {
  readonly config: Config;
  readonly clock: Clock;
  readonly chance: Chance;
  readonly log: Logger;
  readonly store: Store;
  readonly network: Network;
  readonly cluster: Cluster;
  readonly media: MediaLibrary;
}

/** A node that is alone looks only for actors that were given up: five times as seldom as this (see Steward). */
const ALONE_MS = 6_000;
/** New settings of a tenant, for its devices on every node. */
const PACE = 'device.pace';
const AT_ONCE: Pacing = { minDelayMs: 0, maxDelayMs: 0 };

export function startActors({ config, clock, chance, log, store, network, cluster, media }: ActorParts): ActorWorld {
  const devices = devicesIn(store);
  const fleet = fleetIn(store);
  const keyrings = keyringsIn(store);
  const messages = messagesIn(store);
  const chats = chatsIn(store);
  const peopleWorld = startPeople(store, {
    chats,
    messages,
    devices,
    united: (tenantId, lid, phone) => consentWorld.consentBook.unite(tenantId, lid, phone),
  });
  const tenants = tenantsIn(store);
  const usage = usageIn(store);
  const days = deviceDaysIn(store);
  const loginGate = new LoginGate(clock, config.logins_per_second);
  const actors = new ActorSystem(clock, {
    onFailure: (kind, id, cause) => log.error({ err: cause, kind, actor: id }, 'an actor failed'),
    onEscalate: (kind, id, cause) => log.fatal({ err: cause, kind, actor: id }, 'an actor was given up'),
  });
  const everywhere = new ClusterActors(actors, cluster, clock);
  const {
    release,
    followUp: followScheduled,
    ...later
  } = startLater({
    store,
    chance,
    devices,
    tenants,
    plans: config.plans,
    clock,
    sending: { accept: (...order) => sending.accept(...order) },
    emit: (...what) => streams.live.emit(...what),
  });
  const {
    wanted: dueTenants,
    leave: leaveTenants,
    tell,
    ...tenantWorld
  } = startTenants({ config, clock, log, store, cluster, actors, everywhere, devices, release });
  const streams = startStreams({ config, clock, log, store, cluster, tenants, chats, ...tenantWorld });
  const consents = consentsIn(store);
  const { clerksWanted, ...crm } = startCrm({
    clock,
    log,
    store,
    cluster,
    actors,
    everywhere,
    consents,
    optIn: async (tenantId, phones, at) =>
      void (await consentWorld.consentBook.setAll(tenantId, phones, { status: 'opted_in', source: 'import', note: null, at })),
  });
  const agents = startAgents({ clock, log, store, tenants, chats, messages, live: streams.live, eventLog: tenantWorld.eventLog });
  const device = (row: Addressed): ActorRef<DeviceCommand> => everywhere.ref('device', deviceActorId(row.tenant_id, row._id));
  const hintDevice = (row: DeviceRow): void => hint(device(row));
  const quota = { take: usage.takeMessages, used: usage.messages, giveBack: usage.giveBackMessages };
  const { followRecipients, blastsChanged, wantedBlasts, ...blastWorld } = startBlasts({
    config,
    clock,
    log,
    store,
    cluster,
    actors,
    everywhere,
    devices,
    tenants,
    crm,
    quota,
    live: streams.live,
    hintDevice,
  });
  const answering = { store, clock, log, plans: config.plans, messages, devices, tenants, sending: () => sending };
  const { followUp: heedConsent, ...consentWorld } = startConsent({
    ...answering,
    consents,
    usage,
    eventLog: tenantWorld.eventLog,
    people: peopleWorld.people,
    hint: (tenant_id, _id) => hint(device({ tenant_id, _id })),
  });
  const autoReplyParts = { ...answering, media, contacts: crm.contacts, consents: consentWorld };
  const { followUp: answerThem, ...autoReplyWorld } = startAutoReplies(autoReplyParts);
  const followUps = [
    heedConsent,
    keepChats({ chats, messages, people: peopleWorld.people, ...agents }, () => clock.now()),
    keepContacts(crm.contacts, peopleWorld.people),
    followRecipients,
    recordEvents(tenantWorld.eventLog, () => clock.now()),
    followScheduled,
    answerThem,
  ];
  const pacingOf = async (tenantId: string): Promise<Pacing> => {
    const tenant = tenantId === PLATFORM ? null : await tenants.find(tenantId);
    if (!tenant) return AT_ONCE;
    return pacingIn(settingsOf(tenant));
  };
  const { kind, gone } = leased(
    deviceKind({
      network,
      devices,
      keyrings,
      messages: withConsent(messages, { consents }),
      ...peopleWorld,
      record: tenantWorld.eventLog.record,
      queue: queueIn(store),
      days,
      files: messageFiles(media),
      gate: loginGate,
      clock,
      chance,
      log,
      node: config.node_id,
      pacingOf,
      followUps,
      tell,
    }),
    cluster.leases,
  );
  actors.register(kind);
  const here = (id: string): ActorRef<DeviceCommand> => actors.ref('device', id);
  everywhere.add({
    kind: 'device',
    rest: async (id, must, timeoutMs) => void (await here(id).ask({ type: 'drain', must }, timeoutMs)),
    gone,
  });
  const steward = new Steward(
    {
      cluster,
      actors: everywhere,
      clock,
      async wanted() {
        const [online, untold, ...others] = await Promise.all([
          fleet.wanted(),
          fleet.untold(),
          dueTenants(),
          wantedBlasts(),
          clerksWanted(),
        ]);
        return [...[...online, ...untold].map((berth) => weigh(berth, clock.now())), ...others.flat()];
      },
      failed: (cause) => log.warn({ err: cause }, 'the cluster could not be looked after; it is tried again'),
    },
    { everyMs: cluster.name === 'local' ? ALONE_MS : config.steward_ms, mostMoves: config.moves_at_once },
  );

  const sending = createSending({ messages, quota, queueLimit: config.queue_limit, hint: hintDevice });
  cluster.wire.onBroadcast(PACE, (body) => {
    const { tenantId, pacing } = body as { tenantId: string; pacing: Pacing };
    for (const id of actors.awake('device')) if (id.startsWith(`${tenantId}.`)) here(id).tell({ type: 'pace', pacing });
  });
  const sender = createSender({ devices, device, now: () => clock.now() });

  return {
    actors,
    cluster,
    everywhere,
    steward,
    operations: createOperations({ cluster, everywhere, steward, fleet, now: () => clock.now() }),
    devices,
    fleet,
    messages,
    chats,
    ...peopleWorld,
    media,
    tenants,
    usage,
    consents,
    ...consentWorld,
    ...autoReplyWorld,
    ...tenantWorld,
    ...streams,
    ...agents,
    ...blastWorld,
    ...later,
    ...crm,
    sending,
    sender,
    loginGate,
    days,
    device,
    removeDevice: createRemoval({ devices, keyrings, tell, clock }),

    async start() {
      await cluster.start();
      steward.start();
    },

    settingsChanged(tenantId) {
      blastsChanged(tenantId);
      pacingOf(tenantId)
        .then((pacing) => {
          cluster.wire.broadcast(PACE, { tenantId, pacing });
        })
        .catch((cause) => log.warn({ err: cause, tenant: tenantId }, 'new settings reach running devices only when they wake again'));
    },

    async leave(timeoutMs) {
      steward.stop();
      cluster.announce({ state: 'draining' });
      streams.live.close();
      await everywhere.giveAway('blast', timeoutMs);
      await everywhere.giveAway('device', timeoutMs);
      await everywhere.giveAway('clerk', timeoutMs);
      await crm.importReader.close();
      await autoReplyWorld.regexCheck.close();
      await leaveTenants(timeoutMs);
      steward.notify();
      await actors.shutdown();
      await cluster.leave();
    },
  };
}

/** Rows wait in the store, so a full mailbox loses nothing: its device has enough to do and will find them. */
function hint(device: ActorRef<DeviceCommand>): void {
  try {
    device.tell({ type: 'workArrived' });
  } catch {
    // Refused: see above.
  }
}
