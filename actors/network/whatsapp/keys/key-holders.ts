import { RecentCache } from '../../../../runtime/recent-cache.ts';
import type { CredentialBuffer } from './credential-buffer.ts';
import type { SecretKind, SecretsById } from './secret-kind.ts';

export type Holders = Readonly<Record<string, boolean>>;

export const KEY_HOLDERS: SecretKind<Holders> = 'sender-key-memory';

interface Carrier {
  readonly group: string;
  readonly holders: Holders;
  /** How many refusals the group had when this message was written. */
  readonly refusals: number;
}

const KNOWN_GROUPS = 200;
const CARRIERS = 1_000;

/** Devices that have a group's key. Recorded only after the ack of the message that carried the key. */
export class KeyHolders {
  readonly #credentialBuffer: CredentialBuffer;
  readonly #known = new RecentCache<string, Holders>(KNOWN_GROUPS);
  readonly #unstored = new RecentCache<string, Holders>(KNOWN_GROUPS);
  readonly #carriers = new RecentCache<string, Carrier>(CARRIERS);
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

  note(group: string, holders: Holders): void {
    const known = this.#known.get(group);
    if (known && Object.keys(holders).every((device) => known[device])) return;
    this.#known.set(group, holders);
    this.#unstored.set(group, holders);
  }

  written(netId: string, group: string): void {
    const holders = this.#unstored.get(group);
    if (holders) this.#carriers.set(netId, { group, holders, refusals: this.#refusalsIn(group) });
  }

  acknowledged(netId: string): void {
    const carrier = this.#carriers.get(netId);
    if (!carrier) return;
    this.#carriers.delete(netId);
    // Record nothing if another message was refused meanwhile, because that one may have carried the key.
    if (carrier.refusals !== this.#refusalsIn(carrier.group)) return;
    this.#credentialBuffer.set(KEY_HOLDERS, { [carrier.group]: carrier.holders });
    if (this.#unstored.get(carrier.group) === carrier.holders) this.#unstored.delete(carrier.group);
  }

  /** The refused message brought the key to no device, so the next message carries it to all devices. */
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
