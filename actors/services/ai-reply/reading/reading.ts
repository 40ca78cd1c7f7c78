import type { DocumentType } from '../../../../store/ai-reply/documents.ts';
import { inIndonesian, minuteAfter } from '../../../domain/processor-time.ts';
import { FILE_REASONS } from '../../archives/unreadable.ts';
import type { LeftOut } from './left-out.ts';

export interface Words {
  readonly en: string;
  readonly id: string;
}

export interface Block {
  readonly heading: string;
  readonly text: string;
  /** If set, `heading` is a question, and the text is its complete answer. */
  readonly isAnswer?: true;
}

export interface Passage extends Block {}

export interface Contents {
  readonly title: string | null;
  readonly blocks: readonly Block[];
  readonly leftOut: readonly LeftOut[];
}

export type Reading =
  | {
      readonly ok: true;
      readonly title: string | null;
      readonly ext: DocumentType;
      readonly passages: readonly Passage[];
      readonly leftOut: readonly LeftOut[];
      readonly bytes: number;
    }
  | { readonly ok: false; readonly reason: Words };

export const MAX_CHARACTERS = 2_000_000;
export const MAX_PAGES = 2_000;
export const MAX_PASSAGES = 5_000;
export const MAX_TITLE = 1_000;

export const REASONS = {
  ...FILE_REASONS,
  empty: { en: 'the file is empty', id: 'berkas kosong' },
  noText: { en: 'no text was found in the file', id: 'tidak ada teks di dalam berkas' },
  scanned: {
    en: 'the pages contain only images, without text; the file may be a scan',
    id: 'halamannya hanya berisi gambar tanpa teks; berkas ini mungkin hasil pindai (scan)',
  },
  notText: { en: 'the file contains no text', id: 'berkas tidak berisi teks' },
  memory: { en: 'reading the file takes too much memory', id: 'berkas membutuhkan terlalu banyak memori untuk dibaca' },
  time: { en: 'reading the file takes longer than a minute', id: 'berkas membutuhkan lebih dari satu menit untuk dibaca' },
  crash: { en: 'the file could not be read', id: 'berkas tidak dapat dibaca' },
  tooManyPages: {
    en: `the file has more than ${MAX_PAGES} pages; split it`,
    id: `berkas memiliki lebih dari ${MAX_PAGES} halaman; bagilah`,
  },
  tooLong: {
    en: `the file has more than ${MAX_CHARACTERS} characters of text; split it`,
    id: `teks berkas lebih dari ${MAX_CHARACTERS} karakter; bagilah`,
  },
} as const satisfies Record<string, Words>;

export function stoppedTwice(zone: string, at: number): Words {
  const time = minuteAfter(zone, at);
  return {
    en: `Reading this file failed twice. Try again after ${time}.`,
    id: `Berkas ini sudah dua kali gagal dibaca. Coba lagi setelah pukul ${inIndonesian(time)}.`,
  };
}
