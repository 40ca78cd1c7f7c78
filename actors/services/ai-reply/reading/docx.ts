import mammoth from 'mammoth';
import { contentsOfHtml } from './html.ts';
import type { Contents } from './reading.ts';

/** Headings, paragraphs and tables; no pictures, no macros, no files outside of it. */
export async function contentsOfDocx(bytes: Buffer): Promise<Contents> {
  const convertImage = mammoth.images.imgElement(async () => ({ src: '' }));
  const { value } = await mammoth.convertToHtml({ buffer: bytes }, { convertImage, externalFileAccess: false });
  return { ...contentsOfHtml(value, false), title: null };
}
