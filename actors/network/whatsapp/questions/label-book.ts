import type { Label, LabelFact, LabelledChat, LabelledChats } from '../../labels.ts';

/** Keeps deleted labels, so that their ids are never reused. */
export interface LabelBook {
  readonly labels: Readonly<Record<string, Label & { readonly isDeleted: boolean }>>;
  readonly chats: Readonly<Record<string, readonly string[]>>;
}

export const EMPTY_BOOK: LabelBook = { labels: {}, chats: {} };

export interface Labels {
  book(): Promise<LabelBook>;
  chats(book: LabelBook): Promise<(jid: string) => LabelledChat>;
  change(mutation: (book: LabelBook) => Mutation | null): Promise<LabelBook>;
}

export interface Mutation {
  readonly index: readonly string[];
  readonly value: {
    readonly labelEditAction?: { readonly name?: string | null; readonly color?: number | null; readonly deleted?: boolean | null } | null;
    readonly labelAssociationAction?: { readonly labeled?: boolean | null } | null;
  };
}

export const EDIT = 'label_edit';
export const ON_CHAT = 'label_jid';

/** Pattern of valid label ids. Invalid ones, such as `constructor`, are ignored. */
const LABEL_ID = /^\d{1,18}$/;

export function afterMutation(book: LabelBook, { index: [kind, id, jid], value }: Mutation): LabelBook {
  const { labelEditAction: edit, labelAssociationAction: mark } = value;
  if (id === undefined || !LABEL_ID.test(id)) return book;
  if (kind === EDIT && edit) {
    const before = book.labels[id];
    const label = { id, name: edit.name ?? before?.name ?? '', color: edit.color ?? before?.color ?? 0, isDeleted: edit.deleted === true };
    return { ...book, labels: { ...book.labels, [id]: label } };
  }
  if (kind !== ON_CHAT || !mark || jid === undefined) return book;
  const others = chatsOn(book, id).filter((chat) => chat !== jid);
  return { ...book, chats: { ...book.chats, [id]: mark.labeled === true ? [...others, jid] : others } };
}

export const chatsOn = ({ chats }: LabelBook, id: string): readonly string[] => (Object.hasOwn(chats, id) ? (chats[id] ?? []) : []);

export const labelIn = ({ labels }: LabelBook, id: string): Label | null => {
  const found = Object.hasOwn(labels, id) ? labels[id] : undefined;
  return found && !found.isDeleted ? { id, name: found.name, color: found.color } : null;
};

const labelsIn = (book: LabelBook): readonly Label[] => Object.keys(book.labels).flatMap((id) => labelIn(book, id) ?? []);

/** Returns the id of a new label, because the network does not assign ids. */
export const nextId = ({ labels }: LabelBook): string =>
  String(Math.max(0, ...Object.keys(labels).map(Number).filter(Number.isSafeInteger)) + 1);

type Shows = (jid: string) => LabelledChat;

export function factsBetween(before: LabelBook, after: LabelBook, shows: Shows): readonly LabelFact[] {
  const ids = Object.keys(after.labels);
  const edits = ids.flatMap((id): readonly LabelFact[] => {
    const [was, is] = [labelIn(before, id), labelIn(after, id)];
    if (!is) return was ? [{ fact: 'label.deleted', label_id: id }] : [];
    return was && was.name === is.name && was.color === is.color ? [] : [{ fact: 'label.updated', label: is }];
  });
  return [...edits, ...Object.keys(after.chats).flatMap((id) => marksBetween(id, before, after, shows))];
}

function marksBetween(id: string, before: LabelBook, after: LabelBook, shows: Shows): readonly LabelFact[] {
  const [was, is] = [chatsOn(before, id), chatsOn(after, id)];
  return [
    ...is.filter((jid) => !was.includes(jid)).map((jid) => ({ fact: 'label.assigned', label_id: id, chat: shows(jid) }) as const),
    ...was.filter((jid) => !is.includes(jid)).map((jid) => ({ fact: 'label.unassigned', label_id: id, chat: shows(jid) }) as const),
  ];
}

export const chatsIn = ({ chats }: LabelBook): readonly string[] => [...new Set(Object.values(chats).flat())];

export const listed = (book: LabelBook, shows: Shows): readonly LabelledChats[] =>
  labelsIn(book).map((label) => ({ ...label, chats: chatsOn(book, label.id).map(shows) }));
