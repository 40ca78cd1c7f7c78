import { createRequire } from 'node:module';

type Baileys = typeof import('@whiskeysockets/baileys');

/** The library, and what it depends on for Signal in Rust. */
export type Library = Baileys & { readonly signal: typeof import('whatsapp-rust-bridge') };
export type Socket = ReturnType<Library['makeWASocket']>;
export type { AuthenticationCreds, BinaryNode, proto, WAMessage } from '@whiskeysockets/baileys';

/** What the library's own dependency answers, and the library forgets to look at. */
interface SignatureCheck {
  verifySignature(publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean;
}

let loading: Promise<Library> | null = null;

/** The library, repaired. Loaded when the first line is opened: a node that has none need not wait for it. */
export function loadLibrary(): Promise<Library> {
  loading ??= Promise.all([import('@whiskeysockets/baileys'), import('whatsapp-rust-bridge')]).then(([library, signal]) => ({
    ...repair(library),
    signal,
  }));
  return loading;
}

/**
 * Certificates that sign the network's handshake are checked against this root (hex) instead of the network's own. With either, the chain of
 * signatures is checked for real; that the last certificate is for the very key of the handshake is not, which only TLS vouches for.
 */
export function trustRoot(library: Library, rootKey: string): void {
  library.WA_CERT_DETAILS.PUBLIC_KEY = Buffer.from(rootKey, 'hex');
}

function repair(library: Baileys): Baileys {
  const { verifySignature } = createRequire(import.meta.resolve('@whiskeysockets/baileys'))('libsignal/src/curve.js') as SignatureCheck;
  library.Curve.verify = (publicKey, message, signature) => {
    try {
      return verifySignature(library.generateSignalPubKey(publicKey), message, signature) === true;
    } catch {
      return false;
    }
  };
  silence();
  return library;
}

/** Of what the Signal library prints, these lines hold private keys, or come with each message that cannot be read. */
const TOLD_TO_NOBODY = [
  'Closing session:',
  'Opening session:',
  'Removing old closed session:',
  'Session already',
  'Closing open session in favor of',
  'Decrypted message with closed session',
  'Failed to decrypt message with any known session',
  'Session error:',
  'Migrating session to:',
  'V1 session storage migration error',
];

/** The Signal library prints session records, private keys and all, to the console, and has no setting for it. */
function silence(): void {
  for (const method of ['info', 'warn', 'error', 'log'] as const) {
    const print = console[method].bind(console);
    console[method] = (...said: unknown[]) => {
      const [first] = said;
      if (typeof first !== 'string' || !TOLD_TO_NOBODY.some((start) => first.startsWith(start))) print(...said);
    };
  }
}
