import type { NewChatMessageCapInfo } from '@whiskeysockets/baileys';
import type { KeptEvent } from '../../port.ts';
import { attempt, type ConnectionContext } from '../session/connection-context.ts';
import { handleMex } from './mex.ts';

interface Limit {
  readonly until: number | null;
  readonly reason: string;
}

/** Duration of a limit for which the network gives no end, as in the network's own client. */
const UNSAID_MS = 60_000;
const nothing = (): void => {};

/** Limits on messages to strangers. The network announces a limit, or is asked after a refused message. */
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
    // The library would trust these links, but they are unverified claims of a profile's owner.
    NotificationLinkedProfilesUpdates(_profiles, stored) {
      stored();
      return true;
    },
  });
}

function restriction({ until, reason }: Limit, cap: NewChatMessageCapInfo | null): KeptEvent {
  const [newChatsUsed, newChatsQuota] = [number(cap?.used_quota), number(cap?.total_quota)];
  const token = `restricted ${until} ${newChatsUsed}`;
  return { type: 'restricted', token, until, reason: reason.toLowerCase(), newChatsUsed, newChatsQuota };
}

const number = (value: unknown): number | null => (Number.isFinite(Number(value ?? Number.NaN)) ? Number(value) : null);
