import { keep, kept, typedName } from './kept.ts';
import { person } from './session.ts';

const nameOf = (chat: string): string => `${typedName('draft', person.peek()?.agent_id ?? '')}:${chat}`;

/** Returns the unsent text of a chat, also after the page was closed. */
export const draftOf = (chat: string): string => kept(nameOf(chat)) ?? '';

export const keepDraft = (chat: string, text: string): void => keep(nameOf(chat), text === '' ? null : text);
