import { beyondLimit } from '../../domain/plans.ts';

/** Of a chat. They are part of its row, which each of its messages writes and each list of chats reads. */
const MAX_NOTES = 200;
const MAX_CHARACTERS = 32_768;

/** Newest first, of notes in that order: the newest of them that a chat has room for. */
export function newestNotes(notes: readonly string[]): readonly string[] {
  let characters = 0;
  const first = notes.findIndex(({ length }, nth) => {
    characters += length;
    return nth >= MAX_NOTES || characters > MAX_CHARACTERS;
  });
  return first === -1 ? notes : notes.slice(0, first);
}

/** Refuses LIMIT_REACHED beyond 200 notes, or 32,768 characters of them. */
export function withNote(notes: readonly string[], text: string): readonly string[] {
  if (notes.length >= MAX_NOTES) throw beyondLimit(MAX_NOTES, { en: 'notes for each chat', id: 'catatan per chat' });
  const all = [text, ...notes];
  if (newestNotes(all).length < all.length)
    throw beyondLimit(MAX_CHARACTERS, { en: 'characters of notes for each chat', id: 'karakter catatan per chat' });
  return all;
}
