import type { FileNotes } from '../../../../store/media/derived-files.ts';
import { secondsOfMp3 } from './mp3.ts';
import { readMp4 } from './mp4.ts';
import { readOgg } from './ogg.ts';
import { defined } from './recipes.ts';
import { isMp3, secondsOf } from './voice.ts';
import { readWav } from './wav.ts';
import { readWebm } from './webm.ts';

export async function factsOf(file: Buffer): Promise<FileNotes> {
  const start = file.toString('latin1', 0, 12);
  if (start.startsWith('OggS')) return { seconds: rounded(secondsOf(readOgg(file))) };
  if (start.startsWith('\x1a\x45\xdf\xa3')) return film(readWebm(file));
  if (start.slice(4, 8) === 'ftyp') return film(readMp4(file));
  if (start.startsWith('RIFF') && start.endsWith('WAVE')) return { seconds: rounded(readWav(file).seconds) };
  if (start.startsWith('%PDF-')) return { pages: await pagesOf(file) };
  if (isMp3(file)) return defined({ seconds: rounded(secondsOfMp3(file)) ?? undefined });
  return sides(file);
}

async function sides(file: Buffer): Promise<FileNotes> {
  const { examined } = await import('./image.ts');
  const { autoOrient, pageHeight } = await examined(file);
  return { width: autoOrient.width, height: pageHeight ?? autoOrient.height };
}

const rounded = <T extends number | null>(seconds: T): T | number => (seconds === null ? seconds : Math.round(seconds * 1_000) / 1_000);

function film({ seconds, width, height, video, audio, ...rest }: Film): FileNotes {
  return defined({
    seconds: rounded(seconds) ?? undefined,
    width: width ?? undefined,
    height: height ?? undefined,
    video,
    audio,
    fastStart: rest.isFastStart,
  });
}

interface Film {
  readonly seconds: number | null;
  readonly width: number | null;
  readonly height: number | null;
  readonly video: string | null;
  readonly audio: string | null;
  readonly isFastStart?: boolean;
}

async function pagesOf(file: Buffer): Promise<number> {
  const { getDocumentProxy } = await import('unpdf');
  const { numPages } = await getDocumentProxy(new Uint8Array(file));
  return numPages;
}
