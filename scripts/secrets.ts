import { randomBytes } from 'node:crypto';
import { closeSync, fsyncSync, mkdirSync, openSync, readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { type SecretKeys, secretKeysOf } from '../actors/secrets/keys.ts';
import type { Config } from './config.ts';

export interface Secrets {
  readonly admin: string;
  readonly jwt: string;
  /** For what devices log in with. */
  readonly deviceKeys: SecretKeys;
  /** Where the operator finds the admin secret; null: it came from the configuration. */
  readonly adminFile: string | null;
}

type GivenSecrets = Pick<Config, 'admin_secret' | 'jwt_secret' | 'secrets_key' | 'secrets_keys_before' | 'data_dir'>;

/** The node's secrets: from the configuration, else made at first start and kept in `dataDir` (mode 0600). */
export function secretsFor(given: GivenSecrets): Secrets {
  mkdirSync(given.data_dir, { recursive: true });
  const adminFile = join(given.data_dir, 'admin-secret');
  const jwt = given.jwt_secret ?? kept(join(given.data_dir, 'jwt-secret'));
  return {
    admin: given.admin_secret ?? kept(adminFile),
    jwt,
    deviceKeys: secretKeysOf(given.secrets_key, given.secrets_keys_before, jwt),
    adminFile: given.admin_secret === null ? adminFile : null,
  };
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
    if ((cause as NodeJS.ErrnoException).code !== 'EEXIST') throw cause;
    return readFileSync(file, 'utf8').trim();
  }
}
