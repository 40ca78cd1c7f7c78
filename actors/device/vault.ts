import type { Keyrings } from '../../store/keyrings.ts';
import type { Owner } from '../../store/messages.ts';
import type { Vault } from '../network/port.ts';

/** The secrets of one device for the driver that logs it in. */
export function vaultOf(keyrings: Keyrings, owner: Owner): Vault {
  return {
    create: (generation) => keyrings.create(owner, generation),
    take: () => keyrings.take(owner),
    commit: (keyring) => keyrings.commit(owner, keyring),
    keep: (generation, entries) => keyrings.keep(owner, generation, entries),
    read: keyrings.read,
    list: keyrings.list,
    destroy: () => keyrings.destroy(owner),
  };
}
