import type { NewChatMessageCapInfo, ReachoutTimelockState } from '@whiskeysockets/baileys';
import type { KeptEvent } from '../port.ts';
import { attempt, type Wires } from './wires.ts';

/** Calls are told when they begin, and never answered. */
export function hearCalls({ socket, keep }: Wires): void {
  socket.ev.on('call', (calls) => {
    for (const { id, from, callerPn, isVideo, date, status, chatId } of calls) {
      if (status !== 'offer') continue;
      const alt = callerPn && callerPn !== from ? { fromAlt: callerPn, chatAlt: callerPn } : {};
      const common = { token: `call ${id}`, callId: id, video: isVideo === true, at: date.getTime() };
      keep({ type: 'call', ...common, chat: chatId, from, ...alt }, () => {});
    }
  });
}

/**
 * The network lets this number write first to few strangers, or to none, for a while. It tells so by itself, or is asked when it refuses a
 * message (463); how many of them are left it tells only when asked.
 */
export function hearRestrictions(wires: Wires): void {
  const { socket, keep } = wires;
  let current: ReachoutTimelockState | null = null;
  const told = (state: ReachoutTimelockState, cap: NewChatMessageCapInfo | null): void => keep(restriction(state, cap), () => {});
  socket.ev.on('connection.update', ({ reachoutTimeLock: state }) => {
    if (!state) return;
    if (!state.isActive) {
      if (current) keep({ type: 'lifted', token: 'lifted' }, () => {});
      current = null;
      return;
    }
    current = state;
    told(state, null);
    attempt(wires, 'asking how many strangers are left', async () => told(state, await socket.fetchNewChatMessageCap()));
  });
  socket.ev.on('message-capping.update', (cap) => {
    if (current) told(current, cap);
  });
}

function restriction({ timeEnforcementEnds, enforcementType }: ReachoutTimelockState, cap: NewChatMessageCapInfo | null): KeptEvent {
  const until = timeEnforcementEnds?.getTime() ?? null;
  const [newChatsUsed, newChatsQuota] = [number(cap?.used_quota), number(cap?.total_quota)];
  const reason = (enforcementType ?? 'unknown').toLowerCase();
  return { type: 'restricted', token: `restricted ${until} ${newChatsUsed}`, until, reason, newChatsUsed, newChatsQuota };
}

const number = (value: unknown): number | null => (Number.isFinite(Number(value ?? Number.NaN)) ? Number(value) : null);
