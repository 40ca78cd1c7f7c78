import { clockIn } from './zones.ts';

const MINUTE_MS = 60_000;

/** HH:MM of the first whole minute at or after `at`. */
export const minuteAfter = (zone: string, at: number): string => clockIn(zone, Math.ceil(at / MINUTE_MS) * MINUTE_MS);

export const inIndonesian = (time: string): string => time.replace(':', '.');

export function spentTime(zone: string, freeAt: number): { readonly en: string; readonly id: string } {
  const time = minuteAfter(zone, freeAt);
  return {
    en: `Your files have used their processor time for this hour. Try again after ${time}.`,
    id: `Waktu prosesor untuk berkas Anda dalam satu jam ini telah habis. Coba lagi setelah pukul ${inIndonesian(time)}.`,
  };
}
