import type { CredentialStore } from '../../network/port.ts';
import type { DeviceEffect, DeviceEvent } from '../protocol.ts';

type Adopt = Extract<DeviceEffect, { readonly do: 'adopt' }>;

/** Activates the secrets that services/move-in stored, and removes those of the device's earlier login. */
export async function adoptLogin(
  { login, connectionId, replyTo }: Adopt,
  credentialStore: Pick<CredentialStore, 'create'>,
  receive: (event: DeviceEvent) => void,
): Promise<void> {
  try {
    if (login.generation !== null) await credentialStore.create(login.generation);
  } catch {
    return receive({ type: 'notAdopted', connectionId, replyTo });
  }
  receive({ type: 'adopted', login, connectionId, replyTo });
}
