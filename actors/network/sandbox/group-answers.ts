import type { GroupQuestions } from '../groups.ts';
import { numberAt } from './addresses.ts';
import type { SandboxAnswers } from './answers.ts';
import type { Communities } from './communities.ts';
import type { GroupRules } from './group-rules.ts';
import type { SandboxDeps } from './sandbox-deps.ts';

export interface GroupWorld {
  readonly rules: GroupRules;
  readonly communities: Communities;
}

type Answered = SandboxAnswers<GroupQuestions>;

export function groupAnswers({ groups }: SandboxDeps, { rules, communities }: GroupWorld): Answered {
  return {
    'groups.list': ({ phone }) => groups.of(phone).map((group) => rules.record(group)),
    'groups.get': ({ phone }, { id }) => rules.record(groups.seenBy(phone, id)),
    'groups.create'({ phone }, input) {
      const { group, results } = rules.create(phone, input);
      return { group: rules.record(group), results };
    },
    'groups.set': ({ phone }, { id, change }) => done(rules.set(phone, id, change)),
    'groups.leave': ({ phone }, { id }) => done(rules.leave(phone, id)),
    'groups.participants'({ phone }, { id, action, participants }) {
      const results = rules.move(phone, id, action, participants.map(numberOf));
      if (action === 'remove') communities.removedFrom(phone, id, results);
      return results;
    },
    'groups.invite': ({ phone }, { id }) => ({ code: groups.ledBy(phone, id).code }),
    'groups.renewInvite': ({ phone }, { id }) => ({ code: rules.renew(phone, id) }),
    'groups.preview': ({ phone }, { code }) => rules.preview(phone, code),
    'groups.join': ({ phone }, { code }) => rules.join(phone, code),
    'groups.requests': ({ phone }, { id }) => [...groups.ledBy(phone, id).requests].map((digits) => rules.person(digits)),
    'groups.answerRequests': ({ phone }, { id, action, phones }) => rules.answer(phone, id, action, phones.map(numberOf)),
    'groups.setPicture': ({ phone }, { id, jpeg }) => ({ picture: rules.setPicture(phone, id, jpeg !== null) }),
    'communities.create': ({ phone }, { subject, description }) => rules.record(communities.create(phone, subject, description)),
    'communities.end': ({ phone }, { id }) => done(communities.end(phone, id)),
    'communities.groups': ({ phone }, { id }) => communities.subGroups(phone, id),
    'communities.link': ({ phone }, { id, group }) => done(communities.link(phone, id, group)),
    'communities.unlink': ({ phone }, { id, group }) => done(communities.unlink(phone, id, group)),
    'communities.participants': ({ phone }, { id }) => communities.participants(phone, id),
  };
}

const numberOf = (one: string): string => (one.includes('@') ? (numberAt(one) ?? one) : one);
const done = (_nothing: unknown): null => null;
