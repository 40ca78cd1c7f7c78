import { BASE } from '../../pages.ts';

/** Returns the address of a page with a filter; empty values are left out. `path`: relative to `/console`. */
export function addressWith(path: string, query: Readonly<Record<string, string | undefined>>): string {
  const kept = Object.entries(query).flatMap(([name, value]) => (value ? [[name, value]] : []));
  return `${BASE}${path}${kept.length > 0 ? `?${new URLSearchParams(kept)}` : ''}`;
}
