import { editDistance } from '../../runtime/edit-distance.ts';

/** Returns a similar known name, such as `chat_id` for `chatId` and `caption` for `captoin`. */
export function closestTo(name: string, known: readonly string[]): string | null {
  const plain = plainOf(name.slice(0, 64));
  const allowed = Math.min(2, Math.floor(plain.length / 3));
  let best: { readonly name: string; readonly distance: number } | null = null;
  for (const one of known) {
    const distance = editDistance(plain, plainOf(one));
    if (distance <= allowed && (best === null || distance < best.distance)) best = { name: one, distance };
  }
  return best?.name ?? null;
}

const plainOf = (name: string): string => name.toLowerCase().replace(/[_\-\s]/g, '');
