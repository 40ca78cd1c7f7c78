import type { Fault } from '../../actors/domain/refusals.ts';

export function faultIfPast(path: string, at: number | null | undefined, now: number): readonly Fault[] {
  if (typeof at !== 'number' || at > now) return [];
  return [
    {
      path,
      en: `${path} is in the past; times are in milliseconds since 1970`,
      id: `${path} sudah lewat; waktu dalam milidetik (milliseconds) sejak 1970`,
    },
  ];
}
