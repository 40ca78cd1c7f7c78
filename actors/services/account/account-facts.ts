import { unreachable } from '../../../runtime/actor-system/behaviour.ts';
import type { AccountFact } from '../../network/account.ts';
import { userJid } from '../../network/jid.ts';
import type { LabelFact, LabelledChat } from '../../network/labels.ts';
import type { People } from '../people/people.ts';

export interface AccountFactDeps {
  readonly persons: People;
}

export async function accountFactData(
  { persons }: AccountFactDeps,
  tenantId: string,
  fact: AccountFact | LabelFact,
  at: number,
): Promise<object> {
  switch (fact.fact) {
    case 'account.updated':
      return { changed: fact.changed, at };
    case 'blocklist.changed': {
      const [blocked, unblocked] = [await persons.describe(tenantId, fact.blocked), await persons.describe(tenantId, fact.unblocked)];
      return { blocked, unblocked, at };
    }
    case 'label.updated':
      return { label: fact.label, at };
    case 'label.deleted':
      return { label_id: fact.label_id, at };
    case 'label.assigned':
    case 'label.unassigned': {
      const [chat] = await describeChats(persons, tenantId, [fact.chat]);
      return { label_id: fact.label_id, chat, at };
    }
    default:
      return unreachable(fact);
  }
}

export async function describeChats(persons: People, tenantId: string, chats: readonly LabelledChat[]): Promise<readonly LabelledChat[]> {
  const people = await persons.describe(
    tenantId,
    chats.map(({ phone, lid }) => ({ phone, lid, username: null, name: null })),
  );
  return chats.map((chat, nth) => {
    const phone = people[nth]?.phone ?? null;
    return { chat_id: phone === null ? chat.chat_id : userJid(phone), phone, lid: chat.lid };
  });
}
