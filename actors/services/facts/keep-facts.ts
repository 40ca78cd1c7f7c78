import type { AccountOwner } from '../../../store/devices/linked.ts';
import type { ChannelFact } from '../../network/channels.ts';
import type { NetworkFact } from '../../network/facts.ts';
import type { GroupFact } from '../../network/groups.ts';
import type { Person } from '../../network/person.ts';
import { accountFactData } from '../account/account-facts.ts';
import { type ChannelFactDeps, channelFactData, keepChannelFact } from '../channels/channel-facts.ts';
import type { Draft } from '../events/types.ts';
import { type GroupFactDeps, groupFactData, keepGroupFact } from '../groups/group-facts.ts';
import { approvedBy, settleRequests } from '../groups/join-requests.ts';

export interface ToldFacts {
  readonly token: string;
  readonly at: number;
  readonly facts: readonly NetworkFact[];
}

export interface FactDeps extends GroupFactDeps, ChannelFactDeps {
  record(tenantId: string, drafts: readonly Draft[]): Promise<void>;
  noteBlocks(owner: AccountOwner['owner'], blocked: readonly Person[], unblocked: readonly Person[], at: number): Promise<void>;
}

export type KeepFacts = (by: AccountOwner, told: ToldFacts, now: number) => Promise<void>;

/** Resolves once facts are stored, because only then is the network's event acknowledged. */
export function createFactKeeper(deps: FactDeps): KeepFacts {
  return async (by, { token, at, facts }, now) => {
    const { owner } = by;
    const drafts: Draft[] = [];
    for (const [nth, fact] of facts.entries()) {
      const data = { ...(await kept(deps, by, fact, { at, now })) };
      const row = `fact ${owner.sessionId}:${token}:${nth}`;
      drafts.push({ session_id: owner.sessionId, type: fact.fact, row, occurred_at: at, data: { ...data } });
      for (const [which, approved] of (isOfGroup(fact) ? await approvedBy(deps, by, fact) : []).entries()) {
        const approval = { ...(await groupFactData(deps, owner.tenantId, approved, at)) };
        drafts.push({ session_id: owner.sessionId, type: approved.fact, row: `${row}:${which}`, occurred_at: at, data: approval });
      }
    }
    await deps.record(owner.tenantId, drafts);
    for (const fact of facts) if (isOfGroup(fact)) await settleRequests(deps, by, fact);
  };
}

interface When {
  readonly at: number;
  readonly now: number;
}

async function kept(deps: FactDeps, by: AccountOwner, fact: NetworkFact, when: When): Promise<object> {
  if ('channel_id' in fact) return ofChannel(deps, by, fact, when.at);
  const { tenantId } = by.owner;
  if (!isOfGroup(fact)) {
    if (fact.fact === 'blocklist.changed') await deps.noteBlocks(by.owner, fact.blocked, fact.unblocked, when.at);
    return accountFactData(deps, tenantId, fact, when.at);
  }
  await keepGroupFact(deps, by, fact, when);
  return groupFactData(deps, tenantId, fact, when.at);
}

const isOfGroup = (fact: NetworkFact): fact is GroupFact => 'group_id' in fact;

async function ofChannel(deps: FactDeps, by: AccountOwner, fact: ChannelFact, at: number): Promise<object> {
  await keepChannelFact(deps, by, fact, at);
  return channelFactData(deps, by.owner.tenantId, fact, at);
}
