import type { Cancel, Clock } from '../../../../runtime/clock.ts';
import type { ConnectionEvent, CredentialStore } from '../../port.ts';
import { isLinked, type LinkedCreds, storeNewLogin } from '../keys/account.ts';
import type { AuthenticationCreds, BinaryNode, Library, Socket } from '../library.ts';
import { children, el, THE_SERVER, textOf } from '../questions/query.ts';
import { PasskeyLinking } from './passkey-linking.ts';

export interface PairingParts {
  readonly library: Library;
  readonly socket: Socket;
  readonly creds: AuthenticationCreds;
  readonly credentialStore: CredentialStore;
  readonly clock: Clock;
  readonly credentials: (creds: LinkedCreds) => Extract<ConnectionEvent, { type: 'linked' }>;
  tell(event: ConnectionEvent): void;
  ranOut(): void;
  failed(cause: unknown): void;
}

export interface Pairing {
  readonly passkeys: PasskeyLinking;
  stop(): void;
}

const FIRST_QR_MS = 60_000;
const NEXT_QR_MS = 20_000;
/** For this long, the network provides QR codes and accepts a typed code. */
const CODES_MS = 160_000;

/** Replaces the library's linking, which confirms a link before its login can be stored. */
export function pair(parts: PairingParts): Pairing {
  const { library, socket, creds, credentialStore, clock, credentials, tell, ranOut, failed } = parts;
  let unshow: Cancel = () => {};
  let isAsked = false;
  const passkeys = new PasskeyLinking({
    ...{ library, socket, creds, clock, tell, failed },
    asked() {
      isAsked = true;
      unshow();
    },
    expired: ranOut,
  });
  const show = (refs: readonly string[], forMs: number): void => {
    const [ref, ...others] = refs;
    if (isAsked) return;
    if (ref === undefined) return ranOut();
    const [noiseKey, identity] = [creds.noiseKey, creds.signedIdentityKey].map((keys) => Buffer.from(keys.public).toString('base64'));
    const qr = library.buildPairingQRData(ref, noiseKey ?? '', identity ?? '', creds.advSecretKey, library.Browsers.ubuntu('Chrome'));
    socket.ev.emit('connection.update', { qr });
    tell({ type: 'qr', qr, expiresAt: clock.now() + forMs });
    unshow = clock.after(forMs, () => show(others, NEXT_QR_MS));
  };
  socket.ws.removeAllListeners('CB:iq,type:set,pair-device');
  socket.ws.on('CB:iq,type:set,pair-device', (stanza: BinaryNode) => {
    const offered = children(children(stanza, 'pair-device')[0], 'ref');
    const refs = offered.flatMap((ref) => textOf(ref) ?? []);
    socket
      .sendNode(el('iq', { to: THE_SERVER, type: 'result', id: stanza.attrs['id'] }))
      .then(() => show(refs, FIRST_QR_MS))
      .catch(failed);
  });
  socket.ws.removeAllListeners('CB:iq,,pair-success');
  socket.ws.on('CB:iq,,pair-success', (stanza: BinaryNode) => {
    linked(stanza).catch(failed);
  });
  const stop = (): void => {
    unshow();
    passkeys.stop();
  };
  return { passkeys, stop };

  async function linked(stanza: BinaryNode): Promise<void> {
    const { reply, creds: learnt } = library.configureSuccessfulPairing(stanza, creds);
    const chats = formIn(library, stanza);
    Object.assign(creds, learnt, { registered: true }, chats && { chats });
    if (!isLinked(creds)) throw new Error('a phone linked this device without sending an account');
    stop();
    await storeNewLogin(credentialStore, creds);
    tell(credentials(creds));
    await socket.sendNode(reply);
  }
}

function formIn({ proto, getBinaryNodeChild }: Library, stanza: BinaryNode): LinkedCreds['chats'] | null {
  const props = getBinaryNodeChild(getBinaryNodeChild(stanza, 'pair-success'), 'client-props');
  if (!(props?.content instanceof Uint8Array)) return null;
  const { isChatDbLidMigrated } = proto.ClientPairingProps.decode(props.content);
  return typeof isChatDbLidMigrated === 'boolean' ? { form: isChatDbLidMigrated ? 'lid' : 'pn', isTold: true } : null;
}

export async function askPairingCode(socket: Socket, digits: string, clock: Clock): Promise<{ code: string; expiresAt: number }> {
  const code = await socket.requestPairingCode(digits);
  return { code: `${code.slice(0, 4)}-${code.slice(4)}`, expiresAt: clock.now() + CODES_MS };
}
