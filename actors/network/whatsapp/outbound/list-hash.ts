import { createHash } from 'node:crypto';
import { isLid, userOf } from '../../jid.ts';
import type { ConnectionContext } from '../session/connection-context.ts';
import type { DeviceName } from '../signal/warm-seals.ts';

const HASH_BYTES = 6;

function listHash(devices: readonly DeviceName[]): string {
  const written = devices.map(({ user, server, device = 0 }) => `${user}.0:${device}@${server}`);
  const hash = createHash('sha256').update(written.toSorted().join('')).digest();
  return `2:${hash.subarray(0, HASH_BYTES).toString('base64').replaceAll('=', '')}`;
}

/** Drops our device lists if they differ from the network's hash, which also covers this device. */
export async function compareLists({ account, creds, library, deviceLists }: ConnectionContext, to: string, phash: string): Promise<void> {
  const own = isLid(to) ? creds.me.lid : creds.me.id;
  const me = library.jidDecode(own);
  const users = [userOf(to), userOf(own)].filter((user) => user !== undefined);
  const known = users.map((user) => account.devices.get<readonly DeviceName[]>(user));
  if (me && known.every((list) => list !== undefined)) {
    const ours = listHash([...known.flat(), { user: me.user, server: me.server, device: me.device }]);
    if (ours.replaceAll('=', '') === phash.replaceAll('=', '')) return;
  }
  for (const user of users) await deviceLists.del(user);
}
