import type { Refusal } from '../../../runtime/errors.ts';
import { REFUSALS } from '../../domain/refusals.ts';
import type { Words } from './reading/reading.ts';

export const KINDS = { en: 'use pdf, docx, xlsx, csv, txt, md or html', id: 'gunakan pdf, docx, xlsx, csv, txt, md atau html' };
export const GONE = { en: 'the file is gone; upload it again', id: 'berkas sudah tidak ada; unggah kembali' };
export const SPEAKS_TO_MACHINES = {
  en: 'warning: the document contains instructions for an AI; those passages are not used',
  id: 'peringatan: dokumen berisi perintah untuk AI; bagian itu tidak dipakai',
};
export const tooMuchText = (maxPassages: number): Words => ({
  en: `all documents together have more than ${maxPassages} passages; delete some first`,
  id: `semua dokumen bersama-sama memiliki lebih dari ${maxPassages} bagian; hapus sebagian dahulu`,
});

export function reasonOf({ code, details }: Refusal): Words {
  const { en, id } = Object.entries(REFUSALS).find(([name]) => name === code)?.[1] ?? REFUSALS.INTERNAL;
  const reason = details['reason'];
  const isBilingual = typeof reason === 'object' && reason !== null && 'en' in reason && 'id' in reason;
  return isBilingual ? { en: `${en}: ${reason.en}`, id: `${id}: ${reason.id}` } : { en, id };
}
