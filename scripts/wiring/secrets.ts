import { hkdfSync, randomBytes } from 'node:crypto';
import { closeSync, fsyncSync, mkdirSync, openSync, readFileSync, statSync, writeSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { asError, codeOf } from '../../runtime/errors.ts';
import { type SecretKeys, secretKeysOf } from '../../runtime/sealing/keys.ts';
import type { Config } from './config.ts';

export interface Secrets {
  readonly admin: string;
  readonly jwt: string;
  /** Signs the audit logs. */
  readonly audit: Buffer;
  /** For what devices log in with. */
  readonly deviceKeys: SecretKeys;
  /** Where the operator finds the admin secret; null: it came from the configuration. */
  readonly adminFile: string | null;
}

type GivenSecrets = Pick<Config, 'admin_secret' | 'jwt_secret' | 'secrets_key' | 'secrets_keys_before' | 'audit_key' | 'data_dir'>;

/** The node's secrets: from the configuration, else made at first start and kept in `dataDir` (mode 0600). */
export function secretsFor(given: GivenSecrets): Secrets {
  makeDirectory(given.data_dir);
  const adminFile = join(given.data_dir, 'admin-secret');
  const jwt = given.jwt_secret ?? kept(join(given.data_dir, 'jwt-secret'));
  return {
    admin: given.admin_secret ?? kept(adminFile),
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

/** Created exclusively, so that two nodes that start at once over one folder agree on the first one's. */
function kept(file: string): string {
  try {
    const made = randomBytes(32).toString('base64url');
    const handle = openSync(file, 'wx', 0o600);
    writeSync(handle, `${made}\n`);
    fsyncSync(handle);
    closeSync(handle);
    return made;
  } catch (cause) {
    if (codeOf(cause) !== 'EEXIST') throw cause;
    return readFileSync(file, 'utf8').trim();
  }
}
