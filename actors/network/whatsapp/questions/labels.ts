import { Refusal } from '../../../../runtime/errors.ts';
import { isLid } from '../../jid.ts';
import type { LabelFacts, LabelQuestions } from '../../labels.ts';
import { networkRefusal } from '../../network-refusal.ts';
import type { Answers } from '../../questions.ts';
import type { ConnectionContext } from '../session/connection-context.ts';
import { chatsOn, EDIT, type LabelBook, labelIn, listed, type Mutation, nextId, ON_CHAT } from './label-book.ts';

const NOT_FOUND = 404;
const NO_LABEL = { en: 'this label does not exist', id: 'label ini tidak ada' };

export const labelAnswers: Answers<ConnectionContext, LabelQuestions> = {
  async 'labels.list'({ labels }) {
    const book = await labels.book();
    return listed(book, await labels.chats(book));
  },
  async 'labels.create'({ labels }, { name, color }) {
    let id = '';
    const book = await labels.change((now) => {
      id = nextId(now);
      return edit(id, { name, color });
    });
    return there(book, id);
  },
  async 'labels.update'({ labels }, { id, ...changes }) {
    const book = await labels.change((now) => {
      const { name, color } = there(now, id);
      const next = { name, color, ...changes };
      return next.name === name && next.color === color ? null : edit(id, next);
    });
    return there(book, id);
  },
  async 'labels.delete'({ labels }, { id }) {
    await labels.change((now) => ({ index: [EDIT, id], value: { labelEditAction: { ...facts(there(now, id)), deleted: true } } }));
    return null;
  },
  async 'labels.mark'(context, { id, chat, labelled }) {
    const jid = await keyOf(context, chat);
    await context.labels.change((now) => {
      there(now, id);
      const isLabelled = chatsOn(now, id).includes(jid);
      return isLabelled === labelled ? null : { index: [ON_CHAT, id, jid], value: { labelAssociationAction: { labeled: labelled } } };
    });
    return null;
  },
};

const facts = ({ name, color }: LabelFacts): LabelFacts => ({ name, color });

const edit = (id: string, { name, color }: LabelFacts): Mutation => ({
  index: [EDIT, id],
  value: { labelEditAction: { name, color, deleted: false } },
});

function there(book: LabelBook, id: string) {
  const label = labelIn(book, id);
  if (!label) throw new Refusal('NOT_FOUND', { reason: NO_LABEL });
  return label;
}

/** Returns the chat's hidden address, because devices show a label only if it is set for that address. */
export async function keyOf({ creds, socket, library }: ConnectionContext, chat: string): Promise<string> {
  if (!library.isPnUser(chat) || !creds.me.lid || isLid(chat)) return chat;
  const lid = await socket.signalRepository.lidMapping.getLIDForPN(chat);
  if (!lid) throw networkRefusal(NOT_FOUND);
  return library.jidNormalizedUser(lid);
}
