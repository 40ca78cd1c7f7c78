import type { CredentialRows } from '../../../store/devices/credentials.ts';
import type { Owner } from '../../../store/messaging/messages.ts';
import type { CredentialStore } from '../../network/port.ts';

export function credentialStoreOf(credentialRows: CredentialRows, owner: Owner): CredentialStore {
  return {
    create: (generation) => credentialRows.create(owner, generation),
    take: () => credentialRows.take(owner),
    commit: (credentialBuffer) => credentialRows.commit(owner, credentialBuffer),
    keep: (generation, entries) => credentialRows.keep(owner, generation, entries),
    read: credentialRows.read,
    list: credentialRows.list,
    destroy: (generation) => credentialRows.destroy(owner, generation),
  };
}
