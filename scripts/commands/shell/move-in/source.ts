import { createHash } from 'node:crypto';
import { Failure } from '../../cluster/operator.ts';

/** Sources from which another program's login can be read. Only the named login is read, as a whole. */

export interface SourceRecord {
  readonly kind: string;
  readonly id: string;
  readonly value: unknown;
}

export interface Source {
  readonly format: 'baileys' | 'evolution' | 'waha_noweb' | 'fazer' | 'whatsmeow';
  /** Rejects with a Failure if the login does not exist or a program still uses it. */
  read(): Promise<readonly SourceRecord[]>;
  /** Makes the old copy unusable for the old program, and describes the change. */
  retire(today: string): Promise<string>;
  close(): Promise<void>;
}

export const MAX_ENTRIES = 100_000;
export const MAX_ENTRY_BYTES = 1_048_576;
const MAX_BYTES = 32 * 1_048_576;

export const isRedis = (source: string): boolean => /^rediss?:\/\//.test(source);

export function bundleOf({ format }: Source, records: readonly SourceRecord[]): string {
  const bundle = [{ format }, ...records].map((line) => `${JSON.stringify(line)}\n`).join('');
  if (Buffer.byteLength(bundle) > MAX_BYTES) throw new Failure('The login is larger than 32 MB, the largest that the gateway accepts.');
  return bundle;
}

export const digestOf = (records: readonly SourceRecord[]): string =>
  createHash('sha256')
    .update(
      records
        .map((record) => JSON.stringify(record))
        .toSorted()
        .join('\n'),
    )
    .digest('hex');

/** If one kind's name starts with another's, the longer name must come first. */
const KINDS = [
  ...['sender-key-memory', 'sender-key', 'session', 'pre-key', 'lid-mapping', 'tctoken', 'app-state-sync-key', 'app-state-sync-version'],
  ...['device-list', 'identity-key'],
];

export function nameIn(name: string): Omit<SourceRecord, 'value'> | null {
  if (name === 'creds') return { kind: 'creds', id: 'creds' };
  const kind = KINDS.find((one) => name.startsWith(`${one}-`));
  return kind === undefined ? null : { kind, id: name.slice(kind.length + 1) };
}

/**
 * In file names, `__` replaces `/`, and `-` replaces `:`. Only double dashes are changed back to
 * colons, because ids of old groups contain single dashes.
 */
export function idOfFile(kind: string, id: string): string {
  if (kind === 'app-state-sync-key') return id.replaceAll('__', '/');
  return kind === 'sender-key' ? id.replace(/^(.+)--(.+?)--(.+)$/, '$1::$2::$3') : id;
}
