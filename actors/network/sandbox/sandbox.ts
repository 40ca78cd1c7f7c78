import type { ChannelRecord } from '../channels.ts';
import type { GroupRecord } from '../groups.ts';
import type { PasskeyCredential } from '../passkey.ts';
import type { Connection, ConnectionEvent, Network, OpenOrder } from '../port.ts';
import { CLOSED } from '../port.ts';
import type { MadeCall } from './account-pages.ts';
import { buildPage, type NetworkBuilds } from './builds.ts';
import { type CallAct, endCall, isCallAct } from './call-acts.ts';
import { actOnChannels, type ChannelAct, isChannelAct } from './channel-acts.ts';
import type { AccountForm } from './chat-forms.ts';
import { Communities } from './communities.ts';
import type { SandboxConnection } from './connection.ts';
import { injectFault } from './device-faults.ts';
import { type GestureAct, gesture, isGestureAct } from './gesture-acts.ts';
import { doInGroup, type GroupAct } from './group-acts.ts';
import type { GroupWorld } from './group-answers.ts';
import { GroupRules } from './group-rules.ts';
import { Inboxes } from './inboxes.ts';
import type { Journal } from './journal.ts';
import { isMarkAct, type MarkAct, MarkedChats, type ShownMarks } from './marked-chats.ts';
import { MessageRouting } from './message-routing.ts';
import { OfficialSide } from './official/graph-double.ts';
import { OldClients } from './old-clients.ts';
import { isPasskeyAct, type PasskeyAct } from './passkey-acts.ts';
import { actAsPerson, isPersonAct, type PersonAct } from './person-acts.ts';
import { PhoneHistory, type RememberedMessage } from './phone-history.ts';
import { Posts } from './posts.ts';
import type {
  DeviceAction,
  DeviceActionDraft,
  Draft,
  FaultOrder,
  MessageMarks,
  NetworkMessage,
  PhoneSettings,
  Shown,
  ShownPresence,
} from './protocol.ts';
import { type SandboxDeps, type SandboxOptions, sandboxDepsOf } from './sandbox-deps.ts';
import { Switchboard } from './switchboard.ts';

/** A simulated network. It is deterministic for a given clock and random source. */
export interface Sandbox {
  readonly journal: Journal;
  readonly official: OfficialSide;
  network(): Network;
  phone(digits: string): PhoneHandle;
  device(digits: string): DeviceHandle;
  builds(changes?: Partial<NetworkBuilds>): NetworkBuilds;
  createGroup(members: readonly string[]): string;
}

export interface Acted {
  readonly id?: string;
  readonly code?: string;
  readonly credential?: PasskeyCredential;
}

export interface PhoneHandle {
  settings(): PhoneSettings;
  messages(limit?: number): readonly NetworkMessage[];
  /** Fails with NOT_FOUND if neither side has a linked device or the phone is not in the group. */
  write(draft: Draft): NetworkMessage;
  /** The receiver must check whether the action is allowed. */
  do(draft: DeviceActionDraft): DeviceAction;
  /** Sends a message that devices do not understand. They see only its field number. */
  writeUnknown(order: { readonly to: string; readonly field: number }): NetworkMessage;
  call(order: { readonly to: string; readonly video?: boolean }): { readonly id: string; readonly at: number };
  look(to: string): { readonly id: string; readonly at: number };
  act(order: GroupAct | ChannelAct | PersonAct | PasskeyAct | MarkAct | CallAct | GestureAct): Acted;
  channels(): readonly ChannelRecord[];
  groups(): readonly GroupRecord[];
  receipts(netId: string): MessageMarks;
  reactions(limit?: number): readonly DeviceAction[];
  presences(): readonly ShownPresence[];
  calls(): readonly MadeCall[];
  /** Fails with NOT_FOUND, or CONFLICT if the code has expired or the phone cannot link. */
  scan(shown: Shown): void;
  /** An offline phone gets its messages later. `tellsNumber` also applies to earlier recipients. */
  set(changes: Partial<PhoneSettings>): void;
}

export interface DeviceHandle {
  fault(order: FaultOrder): void;
  form(changes?: Partial<AccountForm>): AccountForm;
  marks(): ShownMarks;
  isAvailable(): boolean;
  timers(): Readonly<Record<string, number>>;
  remembers(messages: readonly RememberedMessage[]): void;
  /** Fails with CONFLICT if the phone cannot link more devices. */
  login(): string;
  oldClient(online: boolean): boolean;
}

export function createSandbox(options: SandboxOptions = {}): Sandbox {
  const sandboxDeps = sandboxDepsOf(options);
  const inboxes = new Inboxes(sandboxDeps);
  const posts = new Posts(sandboxDeps, inboxes);
  const marked = new MarkedChats(sandboxDeps, inboxes);
  const post = new MessageRouting(sandboxDeps, inboxes, posts, marked);
  const groupWorld = groupWorldOf(sandboxDeps, inboxes);
  const phoneHistory = new PhoneHistory(sandboxDeps, inboxes, marked);
  const switchboard = new Switchboard(sandboxDeps, { inboxes, post, posts, groupWorld, marked, phoneHistory });
  const official = new OfficialSide(sandboxDeps);
  const oldClients = new OldClients(sandboxDeps, switchboard);
  return {
    journal: sandboxDeps.journal,
    official,
    network: () => networkOf(sandboxDeps, switchboard, official),
    builds: (changes = {}) => changeBuilds(sandboxDeps, changes),
    phone: (digits) => phoneHandle({ sandboxDeps, inboxes, post, posts, switchboard, groupWorld, marked, official }, digits),
    device: (digits) => ({
      fault: (order) => injectFault({ sandboxDeps, switchboard, inboxes }, digits, order),
      form: (changes = {}) => sandboxDeps.chatForms.set(digits, changes),
      marks: () => marked.shown(digits),
      isAvailable: () => sandboxDeps.devices.of(digits).some(({ login, isAvailable }) => login !== null && isAvailable),
      timers: () => sandboxDeps.timers.shown(digits),
      remembers: (messages) => phoneHistory.remembers(digits, messages),
      login: () => oldClients.login(sandboxDeps.phones.named(digits).digits),
      oldClient: (online) => oldClients.set(sandboxDeps.phones.named(digits).digits, online),
    }),
    createGroup: (members) => sandboxDeps.groups.create(members),
  };
}

function groupWorldOf(sandboxDeps: SandboxDeps, inboxes: Inboxes): GroupWorld {
  const rules = new GroupRules(sandboxDeps, inboxes);
  return { rules, communities: new Communities(sandboxDeps.groups, rules) };
}

interface Parts {
  readonly sandboxDeps: SandboxDeps;
  readonly inboxes: Inboxes;
  readonly post: MessageRouting;
  readonly posts: Posts;
  readonly switchboard: Switchboard;
  readonly groupWorld: GroupWorld;
  readonly marked: MarkedChats;
  readonly official: OfficialSide;
}

function phoneHandle({ sandboxDeps, inboxes, post, posts, switchboard, groupWorld, marked, official }: Parts, digits: string): PhoneHandle {
  const phone = sandboxDeps.phones.named(digits);
  return {
    settings: () => phone.settings(),
    messages: (limit = 50) => phone.messages(limit),
    write(draft) {
      const number = official.numberOf(draft.to);
      return number ? official.people.write(phone, number, draft) : post.write(phone, draft);
    },
    do(draft) {
      const number = official.numberOf(draft.to);
      return number ? official.people.do(phone, number, draft) : post.do(phone, draft);
    },
    writeUnknown: ({ to, field }) => post.writeUnknown(phone, to, field),
    call: ({ to, video = false }) => post.call(phone, to, video),
    look: (to) => post.look(phone, to),
    channels: () => sandboxDeps.channels.of(digits),
    groups: () => sandboxDeps.groups.of(digits).map((group) => groupWorld.rules.record(group)),
    act(order) {
      if (isCallAct(order)) {
        if (order.act === 'call') return { id: post.call(phone, order.to, order.video ?? false, order.group_id).id };
        endCall(sandboxDeps, inboxes, digits, order);
        return {};
      }
      if (isGestureAct(order)) {
        gesture(post, phone, order);
        return {};
      }
      if (isMarkAct(order)) {
        marked.act(digits, order);
        return {};
      }
      if (isPersonAct(order)) return actAsPerson({ sandboxDeps, post, groupWorld, official }, phone, order);
      if (isPasskeyAct(order)) return switchboard.actWithPasskey(phone, order);
      return isChannelAct(order) ? actOnChannels(sandboxDeps, posts, phone, order) : doInGroup(groupWorld, digits, order);
    },
    receipts: (netId) => phone.receipts(netId),
    reactions: (limit = 50) => phone.reactions(limit),
    presences: () => phone.presences(),
    calls: () => sandboxDeps.pages.of(digits).calls.map(({ id, to, state }) => ({ id, to, state })),
    scan: (shown) => switchboard.scan(phone, shown),
    set(changes) {
      const wasHidden = !phone.tellsNumber;
      if (changes.username) sandboxDeps.phones.called(changes.username)?.set({ username: null, usernameKey: null });
      phone.set(changes);
      if (changes.savedAs !== undefined) marked.tellNames(sandboxDeps.devices.all(), [phone]);
      if (changes.numberForms) sandboxDeps.phones.dial(phone);
      if (phone.online) post.backOnline(phone);
      if (wasHidden && phone.tellsNumber) post.introductions.tellNumber(phone);
    },
  };
}

function changeBuilds(sandboxDeps: SandboxDeps, changes: Partial<NetworkBuilds>): NetworkBuilds {
  sandboxDeps.builds = { ...sandboxDeps.builds, ...changes };
  const { noticeExpiresAt: at } = changes;
  if (at !== undefined) for (const device of sandboxDeps.devices.all()) device.login?.say({ type: 'buildExpires', at });
  return sandboxDeps.builds;
}

function networkOf(sandboxDeps: SandboxDeps, switchboard: Switchboard, official: OfficialSide): Network {
  const connections = new Set<SandboxConnection>();
  return {
    name: 'sandbox',
    readBuildPage: async () => buildPage(sandboxDeps.builds),
    officialUrl: () => official.url(),
    open(order: OpenOrder, receive: (event: ConnectionEvent) => void): Connection {
      const connection = switchboard.open(order, (event) => {
        if (event.type === 'closed') connections.delete(connection);
        receive(event);
      });
      connections.add(connection);
      return connection;
    },
    async shutdown() {
      for (const connection of connections) connection.end(CLOSED.normally);
    },
  };
}
