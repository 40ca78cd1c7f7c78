import type { LTHashState } from '@whiskeysockets/baileys';
import { Refusal } from '../../../../runtime/errors.ts';
import type { proto } from '../library.ts';
import type { ConnectionContext } from '../session/connection-context.ts';
import { ask, child, el } from './query.ts';

/** Collections that this gateway reads itself (read-settings.ts). The library reads all others. */
export type Collection = 'regular' | 'regular_high' | 'regular_low' | 'critical_unblock_low';

export interface SettingChange {
  readonly collection: Collection | 'critical_block';
  readonly apiVersion: number;
  readonly index: readonly string[];
  readonly value: proto.ISyncActionValue;
}

export const MAX_TRIES = 4;
export const OVERTAKEN = {
  en: 'other devices keep changing the same data; try again',
  id: 'perangkat lain terus mengubah data yang sama; coba lagi',
};

export const SYNC = { type: 'set', xmlns: 'w:sync:app:state' } as const;

const CONFLICT = '409';
export const REFUSED = { en: 'the network did not accept the change', id: 'jaringan tidak menerima perubahan itu' };

type Keyed = Pick<ConnectionContext, 'socket'>;

type Pushing = Pick<ConnectionContext, 'socket' | 'library' | 'creds' | 'clock'>;

export const settingKeys =
  ({ socket }: Keyed) =>
  async (id: string) => {
    const { [id]: key } = await socket.authState.keys.get('app-state-sync-key', [id]);
    return key;
  };

/** Returns false if another device got there first. Fails with CONFLICT if the network rejects it. */
export async function pushPatch(
  context: Pushing,
  state: LTHashState,
  { collection, index, value, apiVersion }: SettingChange,
): Promise<boolean> {
  const { library, creds, clock } = context;
  const operation = library.proto.SyncdMutation.SyncdOperation.SET;
  const syncAction = { timestamp: clock.now(), ...value };
  const patch = { type: collection, index: [...index], syncAction, apiVersion, operation };
  const made = await library.encodeSyncdPatch(patch, creds.myAppStateKeyId ?? '', state, settingKeys(context));
  const bytes = library.proto.SyncdPatch.encode(made.patch).finish();
  const attrs = { name: collection, version: `${state.version}`, return_snapshot: 'false' };
  const answer = await ask(context, SYNC, [el('sync', {}, [el('collection', attrs, [el('patch', {}, bytes)])])]);
  const said = child(child(answer, 'sync'), 'collection');
  if (said?.attrs['type'] !== 'error') return true;
  if (child(said, 'error')?.attrs['code'] === CONFLICT) return false;
  throw new Refusal('CONFLICT', { reason: REFUSED });
}
