import { clockIn } from './zones.ts';

const MINUTE_MS = 60_000;

export const minuteAfter = (zone: string, at: number): string => clockIn(zone, Math.ceil(at / MINUTE_MS) * MINUTE_MS);

export const inIndonesian = (time: string): string => time.replace(':', '.');

export function spentTime(zone: string, freeAt: number): { readonly en: string; readonly id: string } {
  const time = minuteAfter(zone, freeAt);
  return {
    en: `Your files have used up their processing time for this hour. Try again after ${time}.`,
    id: `Waktu pemrosesan berkas Anda untuk jam ini telah habis. Coba lagi setelah pukul ${inIndonesian(time)}.`,
  };
}
