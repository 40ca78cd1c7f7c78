import { randomBytes } from 'node:crypto';
import { closeSync, fsyncSync, mkdirSync, openSync, readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';

export interface Secrets {
  readonly admin: string;
  readonly jwt: string;
  /** Where the operator finds the admin secret; null: it came from the configuration. */
  readonly adminFile: string | null;
}

/** The node's secrets: from the configuration, else made at first start and kept in `dataDir` (mode 0600). */
export function secretsFor(given: { admin_secret: string | null; jwt_secret: string | null; data_dir: string }): Secrets {
  mkdirSync(given.data_dir, { recursive: true });
  const adminFile = join(given.data_dir, 'admin-secret');
  return {
    admin: given.admin_secret ?? kept(adminFile),
    jwt: given.jwt_secret ?? kept(join(given.data_dir, 'jwt-secret')),
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
