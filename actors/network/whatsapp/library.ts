import { registerHooks } from 'node:module';

type Baileys = typeof import('@whiskeysockets/baileys');

/** The library, and Signal as it and we use it. */
export type Library = Baileys & {
  readonly signal: typeof import('./libsignal/session.ts');
  readonly groups: typeof import('./libsignal/group.ts');
  readonly tokens: typeof import('@whiskeysockets/baileys/lib/Utils/tc-token-utils.js');
};
export type Socket = ReturnType<Library['makeWASocket']>;
export type { AuthenticationCreds, BinaryNode, proto, WAMessage } from '@whiskeysockets/baileys';

type Verify = typeof import('./libsignal/curve.ts').verifySignature;

let loading: Promise<Library> | null = null;

/** The library, repaired. Loaded when the first line is opened: a node that has none need not wait for it. */
export function loadLibrary(): Promise<Library> {
  loading ??= load();
  return loading;
}

async function load(): Promise<Library> {
  const hooks = registerHooks({
    resolve(specifier, context, next) {
      const own = REPLACED.find(({ asked, by }) => asked === specifier && by.test(context.parentURL ?? ''));
      return next(own ? own.instead : specifier, context);
    },
  });
  try {
    return await loaded();
  } finally {
    hooks.deregister();
  }
}

/** Imports of the library, and what stands in for them: the same, with keys that are made once for a connection; and with bytes that are copied. */
const REPLACED = [
  {
    asked: './crypto.js',
    by: /\/@whiskeysockets\/baileys\/lib\/Utils\/noise-handler\.js$/,
    instead: import.meta.resolve('./session/frame-crypto.ts'),
  },
  {
    asked: './encode.js',
    by: /\/@whiskeysockets\/baileys\/lib\/WABinary\/index\.js$/,
    instead: import.meta.resolve('./session/encode-node.ts'),
  },
];

async function loaded(): Promise<Library> {
  const [library, signal, groups, { verifySignature }, tokens] = await Promise.all([
    import('@whiskeysockets/baileys'),
    import('./libsignal/session.ts'),
    import('./libsignal/group.ts'),
    import('./libsignal/curve.ts'),
    import('@whiskeysockets/baileys/lib/Utils/tc-token-utils.js'),
  ]);
  return { ...repair(library, verifySignature), signal, groups, tokens };
}

/**
 * Certificates that sign the network's handshake are checked against this root (hex) instead of the network's own. With either, the chain of
 * signatures is checked for real; that the last certificate is for the very key of the handshake is not, which only TLS vouches for.
 */
export function trustRoot(library: Library, rootKey: string): void {
  library.WA_CERT_DETAILS.PUBLIC_KEY = Buffer.from(rootKey, 'hex');
}

/** The library ignores the result of a signature check; ours throws, but that of another package in its place would not. */
function repair(library: Baileys, verifySignature: Verify): Baileys {
  library.Curve.verify = (publicKey, message, signature) => {
    try {
      return verifySignature(library.generateSignalPubKey(publicKey), message, signature);
    } catch {
      return false;
    }
  };
  return library;
}
