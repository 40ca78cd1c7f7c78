import { createHash } from 'node:crypto';
import { acceptedEncoding } from '../core/encodings.ts';
import { type Lang, Raw } from '../core/row.ts';
import { type BuiltFiles, readBuiltFiles } from './built-files.ts';
import { buildBundle } from './bundle.ts';
import { documentOf, POLICY } from './document.ts';
import { BASE, isPage } from './pages.ts';

/** What is served under `/console/`. */
export interface Console {
  /** `path`: what follows `/console/`, decoded. A file that this build does not have is 404 in JSON, an unknown page 404 with the document. */
  get(path: string, accepts: string | undefined, lang: Lang): Promise<Raw>;
}

export interface ConsoleOptions {
  /** Has the design page, and compiles again for each page load. */
  readonly isDevelopment: boolean;
  readonly hasSandbox: boolean;
  /** Directory of the console that `npm run build` wrote; null where the gateway runs from its sources and compiles the console itself. */
  readonly builtConsole: string | null;
}

const FOREVER = 'public, max-age=31536000, immutable';
/** Kept, and asked about each time: an entry always fits the parts that it names. */
const ASK_EACH_TIME = 'no-cache';

const PERMISSIONS =
  'camera=(), geolocation=(), payment=(), usb=(), microphone=(self), publickey-credentials-get=(self), publickey-credentials-create=(self)';

/** The console, read or compiled at the first request: a gateway whose console nobody opens pays nothing for it. */
export function createConsole({ isDevelopment, hasSandbox, builtConsole }: ConsoleOptions): Console {
  let built: Promise<BuiltFiles> | undefined;
  const compile = (): Promise<BuiltFiles> => {
    built = builtConsole !== null && !isDevelopment ? readBuiltFiles(builtConsole) : buildBundle({ isDevelopment });
    // The next request tries again after a failure.
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
      // Of another build, which another node may serve: who asks is told which one is here.
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

/** Ids in paths of pages may have dots. */
const isFile = (path: string, isDevelopment: boolean): boolean =>
  !isPage(`/${path}`, isDevelopment) && (path.startsWith('assets/') || /\.\w{1,12}$/.test(path));

const OTHER_BUILD: Readonly<Record<Lang, string>> = {
  en: `this build of the console has no such file; load ${BASE}/ again`,
  id: `versi konsol ini tidak memiliki berkas tersebut; muat ulang ${BASE}/`,
};
