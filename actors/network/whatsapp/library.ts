import { registerHooks } from 'node:module';

type Baileys = typeof import('@whiskeysockets/baileys');

/** The library, and Signal as it and we use it. */
export type Library = Baileys & {
  readonly signal: typeof import('./libsignal/session.ts');
  readonly groups: typeof import('./libsignal/group.ts');
  readonly withFrames: typeof import('./session/noise-handler.ts').withFrames;
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
      const resolved = next(own ? own.instead : specifier, context);
      return OF_LIBRARY.test(resolved.url) ? { ...resolved, url: resolved.url + OURS } : resolved;
    },
  });
  try {
    return await loaded();
  } finally {
    hooks.deregister();
  }
}

/** Its modules are loaded for us alone: whoever else loads the library, a test or a peer, gets it as it is published. */
const OURS = '?ours';
const OF_LIBRARY = /\/@whiskeysockets\/baileys\/lib\/[^?]*$/;

/**
 * Imports of the library, and what stands in for them: the same, with keys that are made once for a connection; with bytes that are copied; with
 * frames that are read in the turn in which they came; without tokens for reports, which are made beside it; and with caches that take no room
 * while nothing is in them.
 */
const REPLACED = [
  {
    asked: './crypto.js',
    by: /\/@whiskeysockets\/baileys\/lib\/Utils\/noise-handler\.js\?ours$/,
    instead: new URL('./session/frame-crypto.ts', import.meta.url).href,
  },
  {
    asked: './encode.js',
    by: /\/@whiskeysockets\/baileys\/lib\/WABinary\/index\.js\?ours$/,
    instead: new URL('./session/encode-node.ts', import.meta.url).href,
  },
  {
    asked: './noise-handler.js',
    by: /\/@whiskeysockets\/baileys\/lib\/Utils\/index\.js\?ours$/,
    instead: new URL('./session/noise-handler.ts', import.meta.url).href,
  },
  {
    asked: '../Utils/reporting-utils.js',
    by: /\/@whiskeysockets\/baileys\/lib\/Socket\/messages-send\.js\?ours$/,
    instead: new URL('./repairs/no-report.ts', import.meta.url).href,
  },
  ...['lru-cache', '@cacheable/node-cache'].map((asked) => ({
    asked,
    by: /\/@whiskeysockets\/baileys\/lib\/(Signal|Socket)\/[a-z-]+\.js\?ours$/,
    instead: new URL('./session/login-caches.ts', import.meta.url).href,
  })),
];

async function loaded(): Promise<Library> {
  const [library, signal, groups, { verifySignature }, { withFrames }, tokens] = await Promise.all([
    import('@whiskeysockets/baileys'),
    import('./libsignal/session.ts'),
    import('./libsignal/group.ts'),
    import('./libsignal/curve.ts'),
    import('./session/noise-handler.ts'),
    import('@whiskeysockets/baileys/lib/Utils/tc-token-utils.js'),
  ]);
  return { ...repair(library, verifySignature), signal, groups, withFrames, tokens };
}

/** Where the network's own clients upload kinds of files that the library puts elsewhere, or nowhere. */
const UPLOADED_TO = { ptt: '/mms/ptt', gif: '/mms/gif', ptv: '/mms/video', sticker: '/mms/sticker' };

/**
 * Certificates that sign the network's handshake are checked against this root (hex) instead of the network's own. With either, the chain of
 * signatures is checked for real; that the last certificate is for the very key of the handshake is not, which only TLS vouches for.
 */
export function trustRoot(library: Library, rootKey: string): void {
  library.WA_CERT_DETAILS.PUBLIC_KEY = Buffer.from(rootKey, 'hex');
}

/** The library ignores the result of a signature check; ours throws, but that of another package in its place would not. */
function repair(library: Baileys, verifySignature: Verify): Baileys {
  Object.assign(library.MEDIA_PATH_MAP, UPLOADED_TO);
  library.Curve.verify = (publicKey, message, signature) => {
    try {
      return verifySignature(library.generateSignalPubKey(publicKey), message, signature);
    } catch {
      return false;
    }
  };
  return library;
}
