import type { Clock } from '../../../../runtime/clock.ts';
import type { ConnectionEvent, CredentialStore } from '../../port.ts';
import { isLinked, type LinkedCreds, storeNewLogin } from '../keys/account.ts';
import type { AuthenticationCreds, BinaryNode, Library, Socket } from '../library.ts';

export interface PairingParts {
  readonly library: Library;
  readonly socket: Socket;
  readonly creds: AuthenticationCreds;
  readonly credentialStore: CredentialStore;
  readonly clock: Clock;
  readonly credentials: (creds: LinkedCreds) => Extract<ConnectionEvent, { type: 'linked' }>;
  tell(event: ConnectionEvent): void;
  failed(cause: unknown): void;
}

const FIRST_QR_MS = 60_000;
const NEXT_QR_MS = 20_000;
/** The network shows codes for so long altogether, and takes a code to type for as long. */
const CODES_MS = 160_000;

/**
 * Links a phone: by its camera (`qr` events), or by a code that its owner types. Takes the end of it over from the library, which tells the
 * phone that this device is linked before the login could be stored. A phone that asks for a passkey as well is not served: the library does
 * not know those steps, so such a phone ends the pairing and the connection closes.
 */
export function pair({ library, socket, creds, credentialStore, clock, credentials, tell, failed }: PairingParts): void {
  let shown = 0;
  socket.ev.on('connection.update', ({ qr }) => {
    if (!qr) return;
    tell({ type: 'qr', qr, expiresAt: clock.now() + (shown === 0 ? FIRST_QR_MS : NEXT_QR_MS) });
    shown += 1;
  });
  socket.ws.removeAllListeners('CB:iq,,pair-success');
  socket.ws.on('CB:iq,,pair-success', (stanza: BinaryNode) => {
    linked(stanza).catch(failed);
  });

  async function linked(stanza: BinaryNode): Promise<void> {
    const { reply, creds: learnt } = library.configureSuccessfulPairing(stanza, creds);
    const chats = formIn(library, stanza);
    Object.assign(creds, learnt, { registered: true }, chats && { chats });
    if (!isLinked(creds)) throw new Error('a phone linked this device without an account');
    await storeNewLogin(credentialStore, creds);
    tell(credentials(creds));
    await socket.sendNode(reply);
  }
}

/** What the phone tells of how its chats are addressed; null: nothing. */
function formIn({ proto, getBinaryNodeChild }: Library, stanza: BinaryNode): LinkedCreds['chats'] | null {
  const props = getBinaryNodeChild(getBinaryNodeChild(stanza, 'pair-success'), 'client-props');
  if (!(props?.content instanceof Uint8Array)) return null;
  const { isChatDbLidMigrated } = proto.ClientPairingProps.decode(props.content);
  return typeof isChatDbLidMigrated === 'boolean' ? { form: isChatDbLidMigrated ? 'lid' : 'pn', isTold: true } : null;
}

/** A code to type on the phone `digits`. */
export async function askPairingCode(socket: Socket, digits: string, clock: Clock): Promise<{ code: string; expiresAt: number }> {
  const code = await socket.requestPairingCode(digits);
  return { code: `${code.slice(0, 4)}-${code.slice(4)}`, expiresAt: clock.now() + CODES_MS };
}
