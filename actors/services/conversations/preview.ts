import { cut } from '../../domain/cut.ts';

const PREVIEW = 200;

export const previewOf = (text: string | null): string | null => text && cut(text, PREVIEW);
