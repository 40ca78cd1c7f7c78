import { Refusal } from '../../../../runtime/errors.ts';
import type { ConnectionContext } from '../session/connection-context.ts';
import { MAX_TRIES, OVERTAKEN, pushPatch } from './push-patch.ts';

const COLLECTION = 'critical_block';
const INDEX = ['setting_pushName'];
const API_VERSION = 1;

/** Fails with CONFLICT if another device gets there first on every attempt. */
export async function changeName(context: ConnectionContext, name: string): Promise<void> {
  const { socket, library } = context;
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    await socket.resyncAppState([COLLECTION], false);
    const { [COLLECTION]: state } = await socket.authState.keys.get('app-state-sync-version', [COLLECTION]);
    const change = { collection: COLLECTION, apiVersion: API_VERSION, index: INDEX, value: { pushNameSetting: { name } } } as const;
    if (!(await pushPatch(context, state ?? library.newLTHashState(), change))) continue;
    // Makes the library read the change as if from another device, which updates the reported profile.
    await socket.resyncAppState([COLLECTION], false);
    return;
  }
  throw new Refusal('CONFLICT', { reason: OVERTAKEN });
}
