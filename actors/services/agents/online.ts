import type { AgentRow } from '../../../store/agents/agents.ts';

/**
 * Twice the interval (one minute) at which calls and open streams are recorded, so that a working
 * agent never appears away.
 */
const ONLINE_MS = 120_000;

/**
 * Whether the agent has an open live stream or made a call within the last two minutes. Signing out
 * ends it.
 */
export const isOnline = ({ is_active, last_seen_at }: Pick<AgentRow, 'is_active' | 'last_seen_at'>, now: number): boolean =>
  is_active && now - last_seen_at < ONLINE_MS;
