import type { LinkedDevice } from './devices.ts';
import type { Letter } from './protocol.ts';

/** A letter on its way. Its sender hears `delivered` and `read` when the last of its readers has got and read it, as the real phones show it. */
export interface Parcel {
  readonly letter: Letter;
  /** Null when a person wrote it by hand: nobody waits for receipts. */
  readonly sender: LinkedDevice | null;
  toDeliver: number;
  toRead: number;
}

/** `readers`: how many phones it goes to. */
export function parcelOf(letter: Letter, sender: LinkedDevice | null, readers: number): Parcel {
  return { letter, sender, toDeliver: readers, toRead: readers };
}
