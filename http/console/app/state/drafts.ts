import { keep, kept, typedName } from './kept.ts';
import { person } from './session.ts';

const nameOf = (chat: string): string => `${typedName('draft', person.peek()?.agent_id ?? '')}:${chat}`;

export const draftOf = (chat: string): string => kept(nameOf(chat)) ?? '';

export const keepDraft = (chat: string, text: string): void => keep(nameOf(chat), text === '' ? null : text);
