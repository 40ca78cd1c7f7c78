import type { AgentRow } from '../../../store/agents/agents.ts';

/** Maximum age of an online agent's last activity: twice the interval at which it is recorded. */
const ONLINE_MS = 120_000;

export const isOnline = ({ is_active, last_seen_at }: Pick<AgentRow, 'is_active' | 'last_seen_at'>, now: number): boolean =>
  is_active && now - last_seen_at < ONLINE_MS;
