import { cut } from '../../domain/cut.ts';

const PREVIEW = 200;

/** What a list of chats shows of a message: its first 200 characters. */
export const previewOf = (text: string | null): string | null => text && cut(text, PREVIEW);
