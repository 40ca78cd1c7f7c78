import type { NewChatMessageCapInfo } from '@whiskeysockets/baileys';
import type { KeptEvent } from '../port.ts';
import { introduce } from './introduce.ts';
import type { BinaryNode } from './library.ts';
import { type Data, hearMex } from './mex.ts';
import { attempt, type Wires } from './wires.ts';

/**
 * Calls are told when they begin, and never answered. They are taken over from the library, which tells the network that it has one before
 * anybody could store it.
 */
export function hearCalls(wires: Wires): void {
  const { ws } = wires.socket;
  ws.removeAllListeners('CB:call');
  ws.on('CB:call', (node: BinaryNode) => {
    const acknowledge = (): void => attempt(wires, 'an ack', () => wires.socket.sendMessageAck(node));
    const event = callOf(wires, node);
    if (event) wires.keep(event, acknowledge);
    else acknowledge();
  });
}

function callOf({ library }: Wires, { attrs: { from: chat, t }, content }: BinaryNode): KeptEvent | null {
  const inside = Array.isArray(content) ? content[0] : undefined;
  if (!chat || !inside || library.getCallStatusFromNode(inside) !== 'offer') return null;
  const { 'call-id': callId, from: own, 'call-creator': creator, caller_pn: number } = inside.attrs;
  const from = own || creator;
  if (!callId || !from) return null;
  const alt = number && number !== from ? { fromAlt: number, chatAlt: number } : {};
  const video = library.getBinaryNodeChild(inside, 'video') !== undefined;
  return { type: 'call', token: `call ${callId}`, callId, video, at: Number(t ?? 0) * 1_000, chat, from, ...alt };
}

interface Limit {
  /** Epoch ms; null: the network does not say. */
  readonly until: number | null;
  readonly reason: string;
}

/** As the network's own client takes it when no end is told with a limit. */
const UNSAID_MS = 60_000;
const nothing = (): void => {};

/**
 * The network lets this number write first to few strangers, or to none, for a while. It tells so by itself, or is asked when it refuses a
 * message (463); how many of them are left it tells only when asked.
 */
class Limits {
  readonly #wires: Wires;
  #current: Limit | null = null;

  constructor(wires: Wires) {
    this.#wires = wires;
    wires.socket.ev.on('connection.update', ({ reachoutTimeLock: state }) => {
      if (!state) return;
      const limit = { until: state.timeEnforcementEnds?.getTime() ?? null, reason: state.enforcementType ?? 'unknown' };
      if (state.isActive) this.set(limit, nothing);
      else if (this.#current) this.lift(nothing);
    });
  }

  set(limit: Limit, stored: () => void): void {
    const { socket, keep } = this.#wires;
    this.#current = limit;
    keep(restriction(limit, null), stored);
    attempt(this.#wires, 'asking how many strangers are left', async () => {
      keep(restriction(limit, await socket.fetchNewChatMessageCap()), nothing);
    });
  }

  count(cap: NewChatMessageCapInfo, stored: () => void): void {
    if (this.#current) this.#wires.keep(restriction(this.#current, cap), stored);
    else stored();
  }

  lift(stored: () => void): void {
    this.#current = null;
    this.#wires.keep({ type: 'lifted', token: 'lifted' }, stored);
  }
}

/** What the network tells by itself is acknowledged when it is stored: limits, and which number belongs to a hidden address. */
export function hearNotices(wires: Wires): void {
  const limits = new Limits(wires);
  hearMex(wires, {
    NotificationUserReachoutTimelockUpdate({ xwa2_notify_account_reachout_timelock: lock }, stored) {
      if (!lock) return false;
      const { is_active, time_enforcement_ends: ends, enforcement_type: reason } = lock;
      if (!is_active) limits.lift(stored);
      else limits.set({ until: ends ? Number(ends) * 1_000 : wires.clock.now() + UNSAID_MS, reason: reason || 'default' }, stored);
      return true;
    },
    MessageCappingInfoNotification({ xwa2_notify_new_chat_messages_capping_info_update: cap }, stored) {
      if (cap) limits.count(cap, stored);
      return cap !== undefined;
    },
    NotificationLinkedProfilesUpdates: ({ xwa2_notify_linked_profiles: profiles }, stored) => hearProfiles(wires, profiles, stored),
  });
}

/** False: not one number for a hidden address. */
function hearProfiles(wires: Wires, profiles: Data['xwa2_notify_linked_profiles'], stored: () => void): boolean {
  const [pn, ...more] = (profiles?.added_profiles ?? []).map((each) => (typeof each === 'string' ? each : (each.pn ?? each.jid)));
  if (!profiles?.jid || !pn || more.length > 0) return false;
  const pair = { lid: profiles.jid, pn };
  attempt(wires, 'noting a hidden address', async () => {
    await wires.socket.signalRepository.lidMapping.storeLIDPNMappings([pair]);
    introduce(wires, pair, stored);
  });
  return true;
}

function restriction({ until, reason }: Limit, cap: NewChatMessageCapInfo | null): KeptEvent {
  const [newChatsUsed, newChatsQuota] = [number(cap?.used_quota), number(cap?.total_quota)];
  const token = `restricted ${until} ${newChatsUsed}`;
  return { type: 'restricted', token, until, reason: reason.toLowerCase(), newChatsUsed, newChatsQuota };
}

const number = (value: unknown): number | null => (Number.isFinite(Number(value ?? Number.NaN)) ? Number(value) : null);
