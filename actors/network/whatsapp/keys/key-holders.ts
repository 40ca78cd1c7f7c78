import { RecentCache } from '../../../../runtime/recent-cache.ts';
import type { CredentialBuffer } from './credential-buffer.ts';
import type { SecretKind, SecretsById } from './secret-kind.ts';

/** The devices that have our key to a group, by their addresses. */
export type Holders = Readonly<Record<string, boolean>>;

export const KEY_HOLDERS: SecretKind<Holders> = 'sender-key-memory';

/** A message that brought our key to some; all who have it then. */
interface Carrier {
  readonly group: string;
  readonly holders: Holders;
  /** How many messages to the group had been refused when it was written. */
  readonly refusals: number;
}

const KNOWN_GROUPS = 200;
/** More than a device ever has on the wire. */
const CARRIERS = 1_000;

/**
 * Which devices have our keys to groups. The library notes them when the message with the key is written: where the process dies before it leaves,
 * they would be left without the key. Here they are noted when the network has acknowledged that message; until then they count over this
 * connection only, on which nothing overtakes it.
 */
export class KeyHolders {
  readonly #credentialBuffer: CredentialBuffer;
  readonly #known = new RecentCache<string, Holders>(KNOWN_GROUPS);
  /** Not stored yet, by group. */
  readonly #unstored = new RecentCache<string, Holders>(KNOWN_GROUPS);
  readonly #carriers = new RecentCache<string, Carrier>(CARRIERS);
  /** By group. */
  readonly #refusals = new RecentCache<string, number>(KNOWN_GROUPS);

  constructor(credentialBuffer: CredentialBuffer) {
    this.#credentialBuffer = credentialBuffer;
  }

  async of(group: string): Promise<Holders> {
    const known = this.#known.get(group);
    if (known) return known;
    const { [group]: stored = {} } = await this.#credentialBuffer.get(KEY_HOLDERS, [group]);
    const holders = this.#known.get(group) ?? stored;
    this.#known.set(group, holders);
    return holders;
  }

  async ofAll(groups: readonly string[]): Promise<SecretsById<Holders>> {
    const all = await Promise.all(groups.map(async (group) => [group, await this.of(group)] as const));
    return Object.fromEntries(all);
  }

  /** All who have the key once the message that is being written has left. */
  note(group: string, holders: Holders): void {
    const known = this.#known.get(group);
    if (known && Object.keys(holders).every((device) => known[device])) return;
    this.#known.set(group, holders);
    this.#unstored.set(group, holders);
  }

  /** This message to a group is written. */
  written(netId: string, group: string): void {
    const holders = this.#unstored.get(group);
    if (holders) this.#carriers.set(netId, { group, holders, refusals: this.#refusalsIn(group) });
  }

  acknowledged(netId: string): void {
    const carrier = this.#carriers.get(netId);
    if (!carrier) return;
    this.#carriers.delete(netId);
    // It may have relied on a message before it to bring the key, which the network refused.
    if (carrier.refusals !== this.#refusalsIn(carrier.group)) return;
    this.#credentialBuffer.set(KEY_HOLDERS, { [carrier.group]: carrier.holders });
    if (this.#unstored.get(carrier.group) === carrier.holders) this.#unstored.delete(carrier.group);
  }

  /** The network refused this message, and nobody has what it brought: the next one brings the key to all. */
  refused(netId: string): void {
    const carrier = this.#carriers.get(netId);
    if (!carrier) return;
    this.#carriers.delete(netId);
    this.#refusals.set(carrier.group, this.#refusalsIn(carrier.group) + 1);
    this.#known.set(carrier.group, {});
    this.#unstored.delete(carrier.group);
    this.#credentialBuffer.set(KEY_HOLDERS, { [carrier.group]: null });
  }

  #refusalsIn(group: string): number {
    return this.#refusals.get(group) ?? 0;
  }
}
