import type { NewChatMessageCapInfo } from '@whiskeysockets/baileys';
import type { KeptEvent } from '../../port.ts';
import type { BinaryNode } from '../library.ts';
import { attempt, type ConnectionContext } from '../session/connection-context.ts';
import { introduce } from './introduce.ts';
import { type Data, handleMex } from './mex.ts';

/**
 * Calls are reported when they begin, and never answered. They are taken over from the library, which tells the network that it has one before
 * anybody could store it.
 */
export function handleCalls(context: ConnectionContext): void {
  const { ws } = context.socket;
  ws.removeAllListeners('CB:call');
  ws.on('CB:call', (node: BinaryNode) => {
    const acknowledge = (): void => attempt(context, 'an ack', () => context.socket.sendMessageAck(node));
    const event = callOf(context, node);
    if (event) context.keep(event, acknowledge);
    else acknowledge();
  });
}

function callOf({ library }: ConnectionContext, { attrs: { from: chat, t }, content }: BinaryNode): KeptEvent | null {
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

/** The default of the network's own client when an end is announced without a limit. */
const UNSAID_MS = 60_000;
const nothing = (): void => {};

/**
 * The network lets this number write first to few strangers, or to none, for a while. It tells so by itself, or is asked when it refuses a
 * message (463); how many of them are left it tells only when asked.
 */
class Limits {
  readonly #context: ConnectionContext;
  #current: Limit | null = null;

  constructor(context: ConnectionContext) {
    this.#context = context;
    context.socket.ev.on('connection.update', ({ reachoutTimeLock: state }) => {
      if (!state) return;
      const limit = { until: state.timeEnforcementEnds?.getTime() ?? null, reason: state.enforcementType ?? 'unknown' };
      if (state.isActive) this.set(limit, nothing);
      else if (this.#current) this.lift(nothing);
    });
  }

  set(limit: Limit, stored: () => void): void {
    const { socket, keep } = this.#context;
    this.#current = limit;
    keep(restriction(limit, null), stored);
    attempt(this.#context, 'asking how many strangers are left', async () => {
      keep(restriction(limit, await socket.fetchNewChatMessageCap()), nothing);
    });
  }

  count(cap: NewChatMessageCapInfo, stored: () => void): void {
    if (this.#current) this.#context.keep(restriction(this.#current, cap), stored);
    else stored();
  }

  lift(stored: () => void): void {
    this.#current = null;
    this.#context.keep({ type: 'lifted', token: 'lifted' }, stored);
  }
}

/** The network's own announcements are acknowledged when stored: limits, and the number of a hidden address. */
export function handleNotices(context: ConnectionContext): void {
  const limits = new Limits(context);
  handleMex(context, {
    NotificationUserReachoutTimelockUpdate({ xwa2_notify_account_reachout_timelock: lock }, stored) {
      if (!lock) return false;
      const { is_active, time_enforcement_ends: ends, enforcement_type: reason } = lock;
      if (!is_active) limits.lift(stored);
      else limits.set({ until: ends ? Number(ends) * 1_000 : context.clock.now() + UNSAID_MS, reason: reason || 'default' }, stored);
      return true;
    },
    MessageCappingInfoNotification({ xwa2_notify_new_chat_messages_capping_info_update: cap }, stored) {
      if (cap) limits.count(cap, stored);
      return cap !== undefined;
    },
    NotificationLinkedProfilesUpdates: ({ xwa2_notify_linked_profiles: profiles }, stored) => handleProfiles(context, profiles, stored),
  });
}

/** False: not one number for a hidden address. */
function handleProfiles(context: ConnectionContext, profiles: Data['xwa2_notify_linked_profiles'], stored: () => void): boolean {
  const [pn, ...more] = (profiles?.added_profiles ?? []).map((each) => (typeof each === 'string' ? each : (each.pn ?? each.jid)));
  if (!profiles?.jid || !pn || more.length > 0) return false;
  const pair = { lid: profiles.jid, pn };
  attempt(context, 'noting a hidden address', async () => {
    await context.socket.signalRepository.lidMapping.storeLIDPNMappings([pair]);
    introduce(context, pair, stored);
  });
  return true;
}

function restriction({ until, reason }: Limit, cap: NewChatMessageCapInfo | null): KeptEvent {
  const [newChatsUsed, newChatsQuota] = [number(cap?.used_quota), number(cap?.total_quota)];
  const token = `restricted ${until} ${newChatsUsed}`;
  return { type: 'restricted', token, until, reason: reason.toLowerCase(), newChatsUsed, newChatsQuota };
}

const number = (value: unknown): number | null => (Number.isFinite(Number(value ?? Number.NaN)) ? Number(value) : null);
