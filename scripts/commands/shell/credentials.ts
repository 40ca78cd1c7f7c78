import { randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { codeOf } from '../../../runtime/errors.ts';
import { isRecord } from '../../../runtime/shapes.ts';

export type Credential = { readonly key: string } | { readonly token: string; readonly refresh_token: string };

export function credentialsFile(env: NodeJS.ProcessEnv): string {
  const folder = env['XDG_CONFIG_HOME'] || join(homedir(), '.config');
  return env['GATEWAY_CREDENTIALS'] || join(folder, 'messaging-gateway', 'credentials.json');
}

/** Treats a damaged file as empty. */
function all(file: string): Record<string, unknown> {
  try {
    const found: unknown = JSON.parse(readFileSync(file, 'utf8'));
    return isRecord(found) ? { ...found } : {};
  } catch (cause) {
    if (codeOf(cause) === 'ENOENT' || cause instanceof SyntaxError) return {};
    throw cause;
  }
}

export function credentialFor(file: string, url: string): Credential | null {
  const found = all(file)[url];
  if (!isRecord(found)) return null;
  const { key, token, refresh_token } = found;
  if (typeof key === 'string') return { key };
  return typeof token === 'string' && typeof refresh_token === 'string' ? { token, refresh_token } : null;
}

export function keepCredential(file: string, url: string, credential: Credential | null): void {
  const { [url]: _former, ...others } = all(file);
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const draft = `${file}.${randomUUID()}`;
  writeFileSync(draft, `${JSON.stringify({ ...others, ...(credential && { [url]: credential }) }, null, 2)}\n`, {
    mode: 0o600,
    flag: 'wx',
  });
  renameSync(draft, file);
}
