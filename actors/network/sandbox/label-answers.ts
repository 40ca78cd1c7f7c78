import { phoneOf, userJid } from '../jid.ts';
import type { Label, LabelFacts, LabelledChat, LabelQuestions } from '../labels.ts';
import { networkRefusal } from '../network-refusal.ts';
import type { AccountPage } from './account-pages.ts';
import { lidOf, numberAt } from './addresses.ts';
import type { SandboxAnswers } from './answers.ts';
import type { TellAccount } from './fact-teller.ts';
import type { SandboxDeps } from './sandbox-deps.ts';

const NOT_FOUND = 404;
const NO_LABEL = { en: 'this label does not exist', id: 'label ini tidak ada' };

export function labelAnswers(deps: SandboxDeps, tell: TellAccount): SandboxAnswers<LabelQuestions> {
  const { pages } = deps;
  const shown = (chat_id: string): LabelledChat => chatShown(deps, chat_id);
  return {
    'labels.list': ({ phone }) => {
      const { labels, labelled } = pages.of(phone);
      return [...labels].map(([id, facts]) => ({ id, ...facts, chats: [...(labelled.get(id) ?? [])].map(shown) }));
    },
    'labels.create': ({ phone }, { name, color }) => {
      const page = pages.of(phone);
      page.lastLabel += 1;
      return put(page, String(page.lastLabel), { name, color }, (label) => tell(phone, { fact: 'label.updated', label }));
    },
    'labels.update': ({ phone }, { id, ...changes }) => {
      const page = pages.of(phone);
      const before = existing(page, id);
      const next = { ...before, ...changes };
      if (next.name === before.name && next.color === before.color) return { id, ...before };
      return put(page, id, next, (label) => tell(phone, { fact: 'label.updated', label }));
    },
    'labels.delete': ({ phone }, { id }) => {
      const page = pages.of(phone);
      existing(page, id);
      page.labels.delete(id);
      page.labelled.delete(id);
      tell(phone, { fact: 'label.deleted', label_id: id });
      return null;
    },
    'labels.mark': ({ phone }, { id, chat, labelled }) => {
      const page = pages.of(phone);
      existing(page, id);
      const address = addressAt(deps, phone, chat);
      const chats = page.labelled.get(id) ?? new Set();
      page.labelled.set(id, chats);
      if (chats.has(address) === labelled) return null;
      if (labelled) chats.add(address);
      else chats.delete(address);
      tell(phone, { fact: labelled ? 'label.assigned' : 'label.unassigned', label_id: id, chat: shown(address) });
      return null;
    },
  };
}

function existing({ labels }: AccountPage, id: string): LabelFacts {
  const label = labels.get(id);
  if (!label) throw networkRefusal(NOT_FOUND, NO_LABEL);
  return label;
}

function put({ labels }: AccountPage, id: string, facts: LabelFacts, told: (label: Label) => void): Label {
  labels.set(id, facts);
  const label = { id, ...facts };
  told(label);
  return label;
}

function addressAt({ phones, groups }: SandboxDeps, own: string, chat: string): string {
  if (chat.endsWith('@g.us')) return groups.seenBy(own, chat).id;
  const digits = numberAt(chat);
  if (digits === null || !phones.isOnNetwork(digits)) throw networkRefusal(NOT_FOUND);
  return userJid(digits);
}

function chatShown({ phones }: SandboxDeps, chat_id: string): LabelledChat {
  const phone = phoneOf(chat_id);
  return { chat_id, phone, lid: phone !== null && phones.named(phone).lid ? lidOf(phone) : null };
}
