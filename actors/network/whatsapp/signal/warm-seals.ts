import type { Sealed } from '../libsignal/session.ts';
import type { Author, Groups } from './groups.ts';
import type { Locks } from './secrets.ts';
import type { Letter, Sessions } from './sessions.ts';

/** A device of a person, by one of their two addresses. */
export interface DeviceName {
  readonly user: string;
  readonly server: string;
  /** None: the phone. */
  readonly device?: number | undefined;
}

interface Parts {
  readonly sessions: Sessions;
  readonly groups: Groups;
  readonly locks: Locks;
  /** The user of a number's hidden address, as far as it is in memory. */
  readonly hiddenOf: (user: string) => string | undefined;
  /** As the library names the session with an address. */
  readonly nameOf: (jid: string) => string;
}

/** Seals with what is known already: nothing here asks the network. Each answer is null, and nothing has changed, where something is missing. */
export class WarmSeals {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** The hidden address of a person; null: it is not in memory. */
  hidden({ user, server }: Omit<DeviceName, 'device'>): string | null {
    if (server === HIDDEN) return user;
    return server === BY_NUMBER ? (this.#parts.hiddenOf(user) ?? null) : null;
  }

  /** One text for each device, sealed in one turn and kept as one change. */
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

  /** With our own key to the group, which all who read it have. `me`: as whom we write there. */
  async sealForGroup(group: string, me: string, plain: Uint8Array): Promise<Uint8Array | null> {
    const author: Author = { group, address: this.#parts.nameOf(me) };
    return (await this.#parts.groups.has(author)) ? this.#parts.groups.sealForKnown(author, plain) : null;
  }
}

const BY_NUMBER = 's.whatsapp.net';
export const HIDDEN = 'lid';
