import type { GroupSettings, MemberResult, PhoneOnlySettings } from '../groups.ts';
import { networkRefusal } from '../network-refusal.ts';
import type { GroupWorld } from './group-answers.ts';

export type GroupAct =
  | ({ readonly act: 'create_group'; readonly subject: string; readonly participants: readonly string[] } & FirstSettings)
  | ({ readonly act: 'set_group'; readonly id: string } & GroupSettings & PhoneOnlySettings)
  | {
      readonly act: 'add' | 'remove' | 'promote' | 'demote' | 'approve' | 'reject';
      readonly id: string;
      readonly participants: readonly string[];
    }
  | { readonly act: 'join'; readonly code: string }
  | { readonly act: 'withdraw' | 'leave'; readonly id: string };

type FirstSettings = Pick<GroupSettings, 'description' | 'join_approval' | 'restrict'>;

export function doInGroup({ rules }: GroupWorld, by: string, order: GroupAct): object {
  switch (order.act) {
    case 'create_group': {
      const { act: _, subject, participants, ...settings } = order;
      const { group, results } = rules.create(by, { subject, participants, community: null });
      if (Object.keys(settings).length > 0) rules.set(by, group.id, settings);
      return { id: group.id, code: group.code, results: shown(results) };
    }
    case 'set_group': {
      const { act: _, id, ...change } = order;
      rules.set(by, id, change);
      return {};
    }
    case 'approve':
    case 'reject':
      return { results: shown(someDone(rules.answer(by, order.id, order.act, order.participants))) };
    case 'join': {
      const { id, isMember } = rules.join(by, order.code);
      return isMember ? { id, joined: true } : { id, requested: true };
    }
    case 'withdraw':
      rules.withdraw(by, order.id);
      return {};
    case 'leave':
      rules.leave(by, order.id);
      return {};
    default:
      return { results: shown(someDone(rules.move(by, order.id, order.act, order.participants))) };
  }
}

const shown = (results: readonly MemberResult[]) => results.map(({ person: { phone }, code }) => ({ phone, code }));

function someDone(results: readonly MemberResult[]): readonly MemberResult[] {
  const [first] = results;
  if (first && results.every(({ code }) => code !== null)) throw networkRefusal(first.code ?? 409);
  return results;
}
