import type { MediaRow } from '../../../store/media/media.ts';
import type { Measured } from './byte-meter.ts';
import { typeOf } from './types.ts';

export async function describeFile(
  { size, sha256, head }: Measured,
  filename: string | null,
): Promise<Pick<MediaRow, 'size' | 'sha256' | 'content_type' | 'filename'>> {
  const name = filename === null ? null : plainName(filename);
  return { size, sha256, content_type: await typeOf(head, name), filename: name };
}

export function plainName(filename: string): string | null {
  const name = filename
    .replace(/^.*[/\\]/s, '')
    .replace(/[\p{Cc}\p{Cf}\p{Cs}"]/gu, '')
    .trim();
  return [...name].slice(0, 255).join('') || null;
}
