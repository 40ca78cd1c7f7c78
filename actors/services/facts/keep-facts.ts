import type { Owner } from '../../../store/messaging/messages.ts';
import type { ChannelFact } from '../../network/channels.ts';
import type { NetworkFact } from '../../network/facts.ts';
import type { GroupFact } from '../../network/groups.ts';
import { accountFactData } from '../account/account-facts.ts';
import { type ChannelFactDeps, channelFactData, keepChannelFact } from '../channels/channel-facts.ts';
import type { Draft } from '../events/types.ts';
import { type GroupFactDeps, groupFactData, keepGroupFact } from '../groups/group-facts.ts';

/** What the network told at once: one or more facts under one token. */
export interface ToldFacts {
  readonly token: string;
  /** Epoch ms. */
  readonly at: number;
  readonly facts: readonly NetworkFact[];
}

export interface FactDeps extends GroupFactDeps, ChannelFactDeps {
  /** Records events, once each. */
  record(tenantId: string, drafts: readonly Draft[]): Promise<void>;
}

export type KeepFacts = (owner: Owner, told: ToldFacts) => Promise<void>;

/**
 * Keeps what the network told beyond messages, and records one event for each fact, for those who name it. All is durable when it resolves: only then
 * is the network told so, which repeats it until then. Idempotent by the token.
 */
export function createFactKeeper(deps: FactDeps): KeepFacts {
  return async (owner, { token, at, facts }) => {
    const drafts: Draft[] = [];
    for (const [nth, fact] of facts.entries()) {
      const data = { ...(await kept(deps, owner, fact, at)) };
      const row = `fact ${owner.sessionId}:${token}:${nth}`;
      drafts.push({ session_id: owner.sessionId, type: fact.fact, row, occurred_at: at, data: { ...data } });
    }
    await deps.record(owner.tenantId, drafts);
  };
}

/** Keeps one, and gives the `data` of its event. */
async function kept(deps: FactDeps, owner: Owner, fact: NetworkFact, at: number): Promise<object> {
  if ('channel_id' in fact) return ofChannel(deps, owner, fact, at);
  if (!isOfGroup(fact)) return accountFactData(deps, owner.tenantId, fact, at);
  await keepGroupFact(deps, owner, fact, at);
  return groupFactData(deps, owner.tenantId, fact, at);
}

const isOfGroup = (fact: NetworkFact): fact is GroupFact => 'group_id' in fact;

async function ofChannel(deps: FactDeps, owner: Owner, fact: ChannelFact, at: number): Promise<object> {
  await keepChannelFact(deps, owner, fact, at);
  return channelFactData(deps, owner.tenantId, fact, at);
}
