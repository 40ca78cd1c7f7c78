import { cut } from '../../domain/cut.ts';

const PREVIEW = 200;

/** Returns the preview of a message in a list of chats: its first 200 characters. */
export const previewOf = (text: string | null): string | null => text && cut(text, PREVIEW);
