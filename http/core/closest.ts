import { editDistance } from '../../runtime/edit-distance.ts';

/**
 * The known name that was most likely meant; null if no name is close. `chatId` is close to `chat_id`,
 * `captoin` to `caption`.
 */
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
