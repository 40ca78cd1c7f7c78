import { hkdfSync, randomBytes } from 'node:crypto';
import { closeSync, fsyncSync, linkSync, mkdirSync, openSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { asError, codeOf } from '../../runtime/errors.ts';
import { type SecretKeys, secretKeysOf } from '../../runtime/sealing/keys.ts';
import { type Config, MIN_SECRET_LENGTHS } from './config.ts';

export interface Secrets {
  readonly admin: string;
  readonly jwt: string;
  /** The given key until the store contains one (`audit-key.ts`), then the stored key. */
  readonly audit: Buffer;
  readonly deviceKeys: SecretKeys;
  /** Null if the admin secret came from the configuration. */
  readonly adminFile: string | null;
}

const SECRET_BYTES = 32;

type GivenSecrets = Pick<Config, 'admin_secret' | 'jwt_secret' | 'secrets_key' | 'secrets_keys_before' | 'audit_key' | 'data_dir'>;

/** Missing secrets are generated on the first start and stored in `data_dir` (mode 0600). */
export function secretsFor(given: GivenSecrets): Secrets {
  makeDirectory(given.data_dir);
  const adminFile = join(given.data_dir, 'admin-secret');
  const jwt = given.jwt_secret ?? kept(join(given.data_dir, 'jwt-secret'), 'JWT_SECRET');
  return {
    admin: given.admin_secret ?? kept(adminFile, 'ADMIN_SECRET'),
    jwt,
    audit: given.audit_key === null ? Buffer.from(hkdfSync('sha256', jwt, '', 'audit log', 32)) : Buffer.from(given.audit_key, 'hex'),
    deviceKeys: secretKeysOf(given.secrets_key, given.secrets_keys_before, jwt),
    adminFile: given.admin_secret === null ? adminFile : null,
  };
}

/** Creates each level separately, because the recursion of `mkdir` may not end. */
function makeDirectory(directory: string): void {
  try {
    made(resolve(directory));
  } catch (cause) {
    throw new Error(`DATA_DIR ${directory} cannot be created: ${asError(cause).message}.`, { cause });
  }
}

function made(path: string): void {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return;
  if (dirname(path) !== path) made(dirname(path));
  try {
    mkdirSync(path);
  } catch (cause) {
    // Another process may have created the directory first.
    if (codeOf(cause) !== 'EEXIST' || !statSync(path).isDirectory()) throw cause;
  }
}

/** If two nodes generate the secret at the same time, the first one's secret is used. */
function kept(file: string, variable: 'ADMIN_SECRET' | 'JWT_SECRET'): string {
  if (!statSync(file, { throwIfNoEntry: false })) keep(file, randomBytes(SECRET_BYTES).toString('base64url'));
  const secret = readFileSync(file, 'utf8').trim();
  if (secret.length >= MIN_SECRET_LENGTHS[variable]) return secret;
  throw new Error(
    `${file} is incomplete. Restore it from a backup, or set ${variable}. If this node has never run before, delete the file.`,
  );
}

/** Writes a temporary file first, so that a kill never leaves the secret file incomplete. */
function keep(file: string, secret: string): void {
  const unfinished = `${file}.${randomBytes(6).toString('hex')}`;
  try {
    writeFileSync(unfinished, `${secret}\n`, { mode: 0o600, flag: 'wx', flush: true });
    link(unfinished, file);
  } catch (cause) {
    if (codeOf(cause) !== 'EEXIST') throw new Error(`${file} cannot be written: ${asError(cause).message}.`, { cause });
  } finally {
    rmSync(unfinished, { force: true });
  }
  flush(dirname(file));
}

/** Error codes of file systems without hard links. */
const LINKS_NOTHING: ReadonlySet<unknown> = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK']);

function link(from: string, to: string): void {
  try {
    linkSync(from, to);
  } catch (cause) {
    if (!LINKS_NOTHING.has(codeOf(cause))) throw cause;
    writeFileSync(to, readFileSync(from), { mode: 0o600, flag: 'wx', flush: true });
  }
}

/** A file's name survives a power failure only once its directory has been synced. */
function flush(directory: string): void {
  const handle = openSync(directory, 'r');
  try {
    fsyncSync(handle);
  } catch {
    // A failure can be ignored, because the secret has already been stored.
  } finally {
    closeSync(handle);
  }
}
