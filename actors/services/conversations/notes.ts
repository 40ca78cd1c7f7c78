import { newId } from '../../../runtime/ids.ts';
import type { ChatNote, ChatRow, StoredNote } from '../../../store/conversations/chat-row.ts';
import { beyondLimit } from '../../domain/plans.ts';
import { refusal } from '../../domain/refusals.ts';
import { answerId } from '../messaging/answer-id.ts';

/**
 * Manages the team's notes on a chat, newest first. Notes are part of the chat's row, which each
 * message writes and each list of chats reads. Their number and size are therefore limited. Notes
 * from earlier versions are plain strings without an author. Their id is derived from the chat and
 * the text.
 */

const MAX_NOTES = 200;
const MAX_CHARACTERS = 32_768;

export const newNote = (text: string, author: { readonly by: string; readonly name: string } | null, now: number): ChatNote => ({
  id: newId(now),
  text,
  by: author?.by ?? null,
  author: author?.name ?? null,
  created_at: now,
});

export const textOf = (note: StoredNote): string => (typeof note === 'string' ? note : note.text);

export type ShownNote = Pick<ChatNote, 'id' | 'text' | 'author'> & { readonly created_at: number | null };

export const notesOf = (chat: Pick<ChatRow, 'id' | 'notes'>): readonly ShownNote[] => {
  const ids = idsOf(chat);
  return chat.notes.map((note, nth) => {
    const { author, created_at } = typeof note === 'string' ? { author: null, created_at: null } : note;
    return { id: ids[nth] ?? '', text: textOf(note), author, created_at };
  });
};

/** Counts equal notes from the oldest, so that newer notes never change the ids of older ones. */
function idsOf({ id, notes }: Pick<ChatRow, 'id' | 'notes'>): readonly string[] {
  const seen = new Map<string, number>();
  return notes
    .toReversed()
    .map((note) => {
      if (typeof note !== 'string') return note.id;
      const nth = seen.get(note) ?? 0;
      seen.set(note, nth + 1);
      return answerId(`note ${nth} ${note}`, id);
    })
    .toReversed();
}

export function newestNotes(notes: readonly StoredNote[]): readonly StoredNote[] {
  let characters = 0;
  const first = notes.findIndex((note, nth) => {
    characters += textOf(note).length;
    return nth >= MAX_NOTES || characters > MAX_CHARACTERS;
  });
  return first === -1 ? notes : notes.slice(0, first);
}

export function withNote(notes: readonly StoredNote[], note: StoredNote): readonly StoredNote[] {
  if (notes.length >= MAX_NOTES) throw beyondLimit(MAX_NOTES, { en: 'notes per chat', id: 'catatan per percakapan' });
  const all = [note, ...notes];
  if (newestNotes(all).length < all.length)
    throw beyondLimit(MAX_CHARACTERS, { en: 'characters of notes per chat', id: 'karakter catatan per percakapan' });
  return all;
}

/** `named` is the id of a note or its index (0 for the newest). `by` is null for the owner. */
export function withoutNote(chat: Pick<ChatRow, 'id' | 'notes'>, named: string, by: string | null): readonly StoredNote[] {
  const index = /^\d{1,3}$/.test(named) ? Number(named) : idsOf(chat).indexOf(named);
  const note = chat.notes[index];
  if (note === undefined) throw refusal('NOT_FOUND');
  if (by !== null && (typeof note === 'string' || note.by !== by)) throw refusal('FORBIDDEN', { reason: NOT_YOURS });
  return chat.notes.toSpliced(index, 1);
}

const NOT_YOURS = {
  en: 'only the author of a note and the owner may delete it',
  id: 'hanya penulis catatan dan pemilik yang dapat menghapusnya',
};
