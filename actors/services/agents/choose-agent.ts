import type { AgentRow, Agents } from '../../../store/agents/agents.ts';
import type { Assignments } from '../../../store/agents/assignment.ts';
import type { Chats } from '../../../store/conversations/chats.ts';
import { isOnline } from './online.ts';

/**
 * Assigns new chats to agents by the tenant's rule. Invariant: concurrent choices on any nodes
 * never use the same position of the rotation, which is stored in store/agents/assignment.ts.
 */

export interface ChoosingDeps {
  readonly agents: Pick<Agents, 'active'>;
  readonly assignments: Pick<Assignments, 'find' | 'take'>;
  readonly chats: Pick<Chats, 'loads'>;
  now(): number;
}

export type Choose = (tenantId: string) => Promise<string | null>;

/** Advances the rotation before the chosen agent is used, so a crash may skip one agent once. */
export function createChoice({ agents, assignments, chats, now }: ChoosingDeps): Choose {
  async function choose(tenantId: string): Promise<string | null> {
    for (;;) {
      const rule = await assignments.find(tenantId);
      if (!rule || rule.mode === 'manual') return null;
      const ready = (await agents.active(tenantId)).filter((agent) => !rule.only_online || isOnline(agent, now()));
      const ids = inTurn(ready, rule.last_agent);
      const chosen = rule.mode === 'least_busy' ? leastBusy(ids, await chats.loads(tenantId, ids)) : ids[0];
      if (chosen === undefined) return null;
      if (await assignments.take(rule, chosen)) return chosen;
    }
  }
  return inLine(choose);
}

/** Makes one choice at a time, because concurrent choices would conflict. */
function inLine(choose: Choose): Choose {
  const tails = new Map<string, Promise<string | null>>();
  return (tenantId) => {
    const before = tails.get(tenantId) ?? Promise.resolve(null);
    const choice = before.catch(() => null).then(() => choose(tenantId));
    const tail = choice.finally(() => {
      if (tails.get(tenantId) === tail) tails.delete(tenantId);
    });
    tails.set(tenantId, tail);
    return tail;
  };
}

function inTurn(agents: readonly AgentRow[], last: string): readonly string[] {
  const ids = agents.map(({ _id }) => _id);
  const after = ids.filter((id) => id > last);
  return [...after, ...ids.slice(0, ids.length - after.length)];
}

function leastBusy(ids: readonly string[], loads: ReadonlyMap<string, number>): string | undefined {
  const load = (id: string): number => loads.get(id) ?? 0;
  return ids.reduce<string | undefined>((best, id) => (best === undefined || load(id) < load(best) ? id : best), undefined);
}
