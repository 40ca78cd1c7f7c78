import { clockIn } from './zones.ts';

const MINUTE_MS = 60_000;

/** Returns HH:MM in `zone`: the first whole minute at or after `at`. */
export const minuteAfter = (zone: string, at: number): string => clockIn(zone, Math.ceil(at / MINUTE_MS) * MINUTE_MS);

/** Returns a time in Indonesian notation. */
export const inIndonesian = (time: string): string => time.replace(':', '.');

/** Returns the message for a tenant whose files have used the hour's processor time, until `freeAt`. */
export function spentTime(zone: string, freeAt: number): { readonly en: string; readonly id: string } {
  const time = minuteAfter(zone, freeAt);
  return {
    en: `Your files have used their processor time for this hour. Try again after ${time}.`,
    id: `Waktu prosesor untuk berkas Anda dalam satu jam ini telah habis. Coba lagi setelah pukul ${inIndonesian(time)}.`,
  };
}
