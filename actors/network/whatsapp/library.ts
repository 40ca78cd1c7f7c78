import { registerHooks } from 'node:module';

type Baileys = typeof import('@whiskeysockets/baileys');

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

/** Marks our patched copy of a module. All other importers get the library as published. */
const OURS = '?ours';
const OF_LIBRARY = /\/@whiskeysockets\/baileys\/lib\/[^?]*$/;

/** Modules of the library that we replace, for example to copy bytes and to read frames in their tick. */
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

/** Upload paths of the network's own clients, where the library's path differs or is missing. */
const UPLOADED_TO = { ptt: '/mms/ptt', gif: '/mms/gif', ptv: '/mms/video', sticker: '/mms/sticker' };

/** The library does not check that the handshake's key belongs to the certificate chain. Only TLS does. */
export function trustRoot(library: Library, rootKey: string): void {
  library.WA_CERT_DETAILS.PUBLIC_KEY = Buffer.from(rootKey, 'hex');
}

/** Makes signature checks throw, because the library ignores their result. */
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
