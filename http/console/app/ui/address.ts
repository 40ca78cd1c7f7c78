import { BASE } from '../../pages.ts';

/** `path` is relative to `/console`. */
export function addressWith(path: string, query: Readonly<Record<string, string | undefined>>): string {
  const kept = Object.entries(query).flatMap(([name, value]) => (value ? [[name, value]] : []));
  return `${BASE}${path}${kept.length > 0 ? `?${new URLSearchParams(kept)}` : ''}`;
}
