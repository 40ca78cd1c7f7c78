import { newId } from '../../../runtime/ids.ts';
import type { ChatNote, ChatRow, StoredNote } from '../../../store/conversations/chat-row.ts';
import { beyondLimit } from '../../domain/plans.ts';
import { refusal } from '../../domain/refusals.ts';
import { answerId } from '../messaging/answer-id.ts';

/**
 * Notes of the team on a chat, newest first. They are part of the chat's row, which each of its messages writes and each list of chats reads, so
 * their number and size are bounded. Notes of earlier versions are plain strings without an author: they are shown under an id that follows from
 * the chat and the text, and stay as they are until somebody deletes them.
 */

const MAX_NOTES = 200;
const MAX_CHARACTERS = 32_768;

/** A new note. `by`: the agent, or the tenant for its owner and keys; null for the gateway itself. */
export const newNote = (text: string, author: { readonly by: string; readonly name: string } | null, now: number): ChatNote => ({
  id: newId(now),
  text,
  by: author?.by ?? null,
  author: author?.name ?? null,
  created_at: now,
});

export const textOf = (note: StoredNote): string => (typeof note === 'string' ? note : note.text);

/** A note as callers see it; author and time are null where nobody noted them. */
export type ShownNote = Pick<ChatNote, 'id' | 'text' | 'author'> & { readonly created_at: number | null };

/** All notes of a chat, each with its id. */
export const notesOf = (chat: Pick<ChatRow, 'id' | 'notes'>): readonly ShownNote[] => {
  const ids = idsOf(chat);
  return chat.notes.map((note, nth) => {
    const { author, created_at } = typeof note === 'string' ? { author: null, created_at: null } : note;
    return { id: ids[nth] ?? '', text: textOf(note), author, created_at };
  });
};

/** Of equal texts the oldest keeps its id when a newer one comes or goes. */
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

/** Newest first, of notes in that order: the newest of them that a chat has room for. */
export function newestNotes(notes: readonly StoredNote[]): readonly StoredNote[] {
  let characters = 0;
  const first = notes.findIndex((note, nth) => {
    characters += textOf(note).length;
    return nth >= MAX_NOTES || characters > MAX_CHARACTERS;
  });
  return first === -1 ? notes : notes.slice(0, first);
}

/** Refuses LIMIT_REACHED beyond 200 notes, or 32,768 characters of them. */
export function withNote(notes: readonly StoredNote[], note: StoredNote): readonly StoredNote[] {
  if (notes.length >= MAX_NOTES) throw beyondLimit(MAX_NOTES, { en: 'notes for each chat', id: 'catatan per chat' });
  const all = [note, ...notes];
  if (newestNotes(all).length < all.length)
    throw beyondLimit(MAX_CHARACTERS, { en: 'characters of notes for each chat', id: 'karakter catatan per chat' });
  return all;
}

/**
 * The notes without one of them, named by its id or by its place (0 is the newest). `by`: the agent who asks; null: the owner, who may delete any.
 * Refuses NOT_FOUND, and FORBIDDEN for a note of somebody else.
 */
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
