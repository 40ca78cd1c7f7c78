import type { Sealed } from '../libsignal/session.ts';
import type { Author, Groups } from './groups.ts';
import type { Locks } from './secrets.ts';
import type { Letter, Sessions } from './sessions.ts';

export interface DeviceName {
  readonly user: string;
  readonly server: string;
  /** Device number; absent for the phone. */
  readonly device?: number | undefined;
}

interface Parts {
  readonly sessions: Sessions;
  readonly groups: Groups;
  readonly locks: Locks;
  readonly hiddenOf: (user: string) => string | undefined;
  readonly nameOf: (jid: string) => string;
}

/** Encrypts without requests. Returns null, and changes nothing, if data for this is missing. */
export class WarmSeals {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  hidden({ user, server }: Omit<DeviceName, 'device'>): string | null {
    if (server === HIDDEN) return user;
    return server === BY_NUMBER ? (this.#parts.hiddenOf(user) ?? null) : null;
  }

  async seal(letters: readonly { readonly to: DeviceName; readonly plain: Uint8Array }[]): Promise<readonly Sealed[] | null> {
    const addressed: Letter[] = [];
    for (const { to, plain } of letters) {
      const user = this.hidden(to);
      if (user === null) return null;
      addressed.push({ address: this.#parts.nameOf(`${user}:${to.device ?? 0}@${HIDDEN}`), plain });
    }
    const isOnce = new Set(addressed.map(({ address }) => address)).size === addressed.length;
    return isOnce ? this.#parts.sessions.sealAll(addressed, this.#parts.locks) : null;
  }

  async sealForGroup(group: string, me: string, plain: Uint8Array): Promise<Uint8Array | null> {
    const author: Author = { group, address: this.#parts.nameOf(me) };
    return (await this.#parts.groups.has(author)) ? this.#parts.groups.sealForKnown(author, plain) : null;
  }
}

const BY_NUMBER = 's.whatsapp.net';
export const HIDDEN = 'lid';
