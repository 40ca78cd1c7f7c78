import type { AgentRow } from '../../../store/agents/agents.ts';

/** Calls and open streams are noted at most every minute: twice that, so that a working agent never seems away. */
const ONLINE_MS = 120_000;

/** Has the agent a live stream open, or called within the last two minutes? Signing out ends it. */
export const isOnline = ({ is_active, last_seen_at }: Pick<AgentRow, 'is_active' | 'last_seen_at'>, now: number): boolean =>
  is_active && now - last_seen_at < ONLINE_MS;
