import type { CredentialStore } from '../../network/port.ts';
import type { DeviceEffect, DeviceEvent } from '../protocol.ts';

type Adopt = Extract<DeviceEffect, { readonly do: 'adopt' }>;

/**
 * Makes secrets that were put in place under a generation of their own (services/move-in) those of the device. Only the owner of the device does
 * so, and whatever lay there of an earlier login is removed.
 */
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
