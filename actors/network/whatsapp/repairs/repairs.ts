import type { PossiblyExtendedCacheStore } from '@whiskeysockets/baileys';
import type { Account } from '../keys/account.ts';
import type { AuthenticationCreds, BinaryNode, Library, Socket } from '../library.ts';
import { believed } from './believed.ts';
import { bothLists } from './both-lists.ts';
import { fewKeys } from './few-keys.ts';
import { oneOfMany } from './one-of-many.ts';
import { ownDevice } from './own-device.ts';
import { removed } from './removed.ts';

interface Parts {
  readonly library: Library;
  readonly creds: AuthenticationCreds;
  readonly account: Account;
  readonly devices: PossiblyExtendedCacheStore;
}

/** Works around faults of the library, one per repair (docs/library-issues.md). */
export function repair(socket: Socket, { library, creds, account, devices }: Parts): void {
  socket.ws.on('frame', (stanza: BinaryNode | Uint8Array) => {
    if (stanza instanceof Uint8Array) return;
    removed(stanza);
    oneOfMany(stanza, account.unresolved);
    if (!creds.me) return;
    believed(stanza, library, creds.me);
    ownDevice(stanza, library, creds.me);
    bothLists(stanza, library, creds.me, devices);
    fewKeys(stanza, (count) => socket.uploadPreKeys(count));
  });
}
