import { hkdfSync, randomBytes } from 'node:crypto';
import { closeSync, fsyncSync, linkSync, mkdirSync, openSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { asError, codeOf } from '../../runtime/errors.ts';
import { type SecretKeys, secretKeysOf } from '../../runtime/sealing/keys.ts';
import { type Config, MIN_SECRET_LENGTHS } from './config.ts';

export interface Secrets {
  readonly admin: string;
  readonly jwt: string;
  /** Signs the audit logs: as given, until a store keeps one (audit-key.ts); of a running node, the one that its store keeps. */
  readonly audit: Buffer;
  /** For what devices log in with. */
  readonly deviceKeys: SecretKeys;
  /** Where the operator finds the admin secret; null: it came from the configuration. */
  readonly adminFile: string | null;
}

const SECRET_BYTES = 32;

type GivenSecrets = Pick<Config, 'admin_secret' | 'jwt_secret' | 'secrets_key' | 'secrets_keys_before' | 'audit_key' | 'data_dir'>;

/** The node's secrets: from the configuration, else made at first start and kept in `dataDir` (mode 0600). */
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

/** Step by step: where a parent cannot hold directories at all, the system's own recursion may not end. Throws an Error of one sentence. */
function makeDirectory(directory: string): void {
  try {
    made(resolve(directory));
  } catch (cause) {
    throw new Error(`DATA_DIR ${directory} cannot be made: ${asError(cause).message}.`, { cause });
  }
}

function made(path: string): void {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return;
  if (dirname(path) !== path) made(dirname(path));
  try {
    mkdirSync(path);
  } catch (cause) {
    // Another process came first.
    if (codeOf(cause) !== 'EEXIST' || !statSync(path).isDirectory()) throw cause;
  }
}

/** Of two nodes that start at once over one folder the first one's counts. Throws an Error of one sentence where what is kept is not whole. */
function kept(file: string, variable: 'ADMIN_SECRET' | 'JWT_SECRET'): string {
  if (!statSync(file, { throwIfNoEntry: false })) keep(file, randomBytes(SECRET_BYTES).toString('base64url'));
  const secret = readFileSync(file, 'utf8').trim();
  if (secret.length >= MIN_SECRET_LENGTHS[variable]) return secret;
  throw new Error(`${file} is not whole: put it back from a copy; where this node never ran before, delete it; or set ${variable}.`);
}

/** Under another name first, so that it is there whole or not at all, whatever ends the process. */
function keep(file: string, secret: string): void {
  const unfinished = `${file}.${randomBytes(6).toString('hex')}`;
  try {
    writeFileSync(unfinished, `${secret}\n`, { mode: 0o600, flag: 'wx', flush: true });
    link(unfinished, file);
  } catch (cause) {
    if (codeOf(cause) !== 'EEXIST') throw new Error(`${file} cannot be kept: ${asError(cause).message}.`, { cause });
  } finally {
    rmSync(unfinished, { force: true });
  }
  flush(dirname(file));
}

/** Some file systems give a file no second name: what is broken off there leaves a part of a secret, which the next start refuses. */
const LINKS_NOTHING: ReadonlySet<unknown> = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK']);

function link(from: string, to: string): void {
  try {
    linkSync(from, to);
  } catch (cause) {
    if (!LINKS_NOTHING.has(codeOf(cause))) throw cause;
    writeFileSync(to, readFileSync(from), { mode: 0o600, flag: 'wx', flush: true });
  }
}

/** The names in a directory outlive a power cut only once it was written itself, which some file systems cannot do. */
function flush(directory: string): void {
  const handle = openSync(directory, 'r');
  try {
    fsyncSync(handle);
  } catch {
    // The secret is there, and is good.
  } finally {
    closeSync(handle);
  }
}
