import { createHash } from 'node:crypto';
import { acceptedEncoding } from '../core/encodings.ts';
import { type Lang, Raw } from '../core/row.ts';
import { type BuiltFiles, readBuiltFiles } from './built-files.ts';
import { buildBundle } from './bundle.ts';
import { documentOf, POLICY } from './document.ts';
import { BASE, isPage } from './pages.ts';

export interface Console {
  /** `path` is decoded. An unknown file gets a JSON 404, an unknown page a 404 with the console's HTML. */
  get(path: string, accepts: string | undefined, lang: Lang): Promise<Raw>;
}

export interface ConsoleOptions {
  readonly isDevelopment: boolean;
  readonly hasSandbox: boolean;
  /** Null if the gateway runs from its sources and therefore compiles the console itself. */
  readonly builtConsole: string | null;
}

const FOREVER = 'public, max-age=31536000, immutable';
const ASK_EACH_TIME = 'no-cache';

const PERMISSIONS =
  'camera=(), geolocation=(), payment=(), usb=(), microphone=(self), publickey-credentials-get=(self), publickey-credentials-create=(self)';

/** Loads or compiles the console on first use, so that nodes that never serve it avoid the cost. */
export function createConsole({ isDevelopment, hasSandbox, builtConsole }: ConsoleOptions): Console {
  let built: Promise<BuiltFiles> | undefined;
  const compile = (): Promise<BuiltFiles> => {
    built = builtConsole !== null && !isDevelopment ? readBuiltFiles(builtConsole) : buildBundle({ isDevelopment });
    built.catch(() => {
      built = undefined;
    });
    return built;
  };
  const document = async (path: string): Promise<Raw> => {
    const { id } = await (isDevelopment ? compile() : (built ?? compile()));
    const text = documentOf({ build: id, hasSandbox });
    return new Raw(text, 'text/html; charset=utf-8', isPage(`/${path}`, isDevelopment) ? 200 : 404, {
      'content-security-policy': POLICY,
      'cross-origin-opener-policy': 'same-origin',
      'permissions-policy': PERMISSIONS,
      'referrer-policy': 'same-origin',
      'cache-control': ASK_EACH_TIME,
      etag: `"${createHash('sha256').update(text).digest('base64url').slice(0, 22)}"`,
      'x-console-build': id,
    });
  };
  return {
    async get(path, accepts, lang) {
      if (!isFile(path, isDevelopment)) return document(path);
      const { id, files } = await (built ?? compile());
      const file = files.get(path);
      // The missing file probably belongs to another build, for example the build on another node.
      if (!file) return missing(id, lang);
      const encoding = acceptedEncoding(['br', 'gzip'], accepts);
      return new Raw(encoding ? file[encoding] : file.bytes, file.type, 200, {
        vary: 'accept-encoding',
        ...(encoding && { 'content-encoding': encoding }),
        'cache-control': file.isForever && !isDevelopment ? FOREVER : ASK_EACH_TIME,
        etag: file.etag,
        'x-console-build': id,
      });
    },
  };
}

function missing(build: string, lang: Lang): Raw {
  const body = JSON.stringify({ error: OTHER_BUILD[lang], code: 'NOT_FOUND' });
  return new Raw(body, 'application/json; charset=utf-8', 404, { 'x-console-build': build });
}

/** Paths with a dot are not always files, because ids in page paths may contain dots. */
const isFile = (path: string, isDevelopment: boolean): boolean =>
  !isPage(`/${path}`, isDevelopment) && (path.startsWith('assets/') || /\.\w{1,12}$/.test(path));

const OTHER_BUILD: Readonly<Record<Lang, string>> = {
  en: `this build of the console has no such file; load ${BASE}/ again`,
  id: `versi konsol ini tidak memiliki berkas tersebut; muat ulang ${BASE}/`,
};
