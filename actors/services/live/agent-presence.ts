import type { Cancel, Clock } from '../../../runtime/clock.ts';
import type { Agents } from '../../../store/agents/agents.ts';
import type { Hub } from './hub.ts';

export interface AgentPresenceDeps {
  readonly agents: Pick<Agents, 'seen'>;
  readonly clock: Clock;
  failed(cause: unknown): void;
}

/** Must be well below the time after which an agent is offline (services/agents/online.ts). */
const NOTE_EVERY_MS = 60_000;

export function recordAgentPresence(hub: Hub, { agents, clock, failed }: AgentPresenceDeps): Cancel {
  let cancel: Cancel = () => {};
  const later = (): void => {
    cancel = clock.after(NOTE_EVERY_MS, () => {
      const ids = new Set([...hub.viewers()].filter(({ role }) => role === 'agent').map(({ agentId }) => agentId));
      if (ids.size > 0) agents.seen([...ids], clock.now()).catch(failed);
      later();
    });
  };
  later();
  return () => cancel();
}
