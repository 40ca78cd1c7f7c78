import type { SecretKind } from '../keys/secret-kind.ts';
import type { Library } from '../library.ts';
import type { Sender } from '../libsignal/group.ts';
import { groupFromEarlier, isEarlier } from './earlier-groups.ts';
import type { Secrets } from './secrets.ts';

const KIND: SecretKind<Uint8Array> = 'sender-key';

export interface Author {
  readonly group: string;
  /** `<user>.<device>`. */
  readonly address: string;
}

/** A failed operation changes nothing and, unlike in the library's own code, skips no step of our key. */
export class Groups {
  readonly #library: Library;
  readonly #secrets: Secrets;

  constructor(library: Library, secrets: Secrets) {
    this.#library = library;
    this.#secrets = secrets;
  }

  seal(author: Author, plain: Uint8Array): Promise<{ ciphertext: Uint8Array; distribution: Uint8Array }> {
    return this.#change(author, (sender) => this.#library.groups.sealForGroup(sender, plain));
  }

  async sealForKnown(author: Author, plain: Uint8Array): Promise<Uint8Array> {
    const { ciphertext } = await this.#change(author, (sender) => this.#library.groups.sealForKnown(sender, plain));
    return ciphertext;
  }

  /** Rejects with `old counter` if the message was decrypted before. */
  async open(author: Author, ciphertext: Uint8Array): Promise<Uint8Array> {
    const { plain } = await this.#change(author, (sender) => this.#library.groups.openOfGroup(sender, ciphertext));
    return plain;
  }

  async distribute(author: Author): Promise<Uint8Array> {
    const { distribution } = await this.#change(author, (sender) => this.#library.groups.distribute(sender));
    return distribution;
  }

  async learn(author: Author, distribution: Uint8Array): Promise<void> {
    await this.#change(author, async (sender) => ({ record: await this.#library.groups.learn(sender, distribution) }));
  }

  async has(author: Author): Promise<boolean> {
    return (await this.#record(author)) !== null;
  }

  #change<T extends { readonly record: Uint8Array }>(author: Author, work: (sender: Sender) => Promise<T>): Promise<T> {
    const name = nameOf(author);
    return this.#secrets.alone(`group ${name}`, async () => {
      const change = await work({ ...author, record: await this.#record(author) });
      this.#secrets.set(KIND, { [name]: change.record });
      return change;
    });
  }

  async #record(author: Author): Promise<Uint8Array | null> {
    const name = nameOf(author);
    const { [name]: kept } = await this.#secrets.get(KIND, [name]);
    if (!kept) return null;
    return isEarlier(kept) ? groupFromEarlier(kept) : kept;
  }
}

function nameOf({ group, address }: Author): string {
  const dot = address.lastIndexOf('.');
  return `${group}::${address.slice(0, dot)}::${address.slice(dot + 1)}`;
}
