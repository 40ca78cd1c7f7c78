import { createHash } from 'node:crypto';
import { Failure } from '../../cluster/operator.ts';

/** Places in which other programs keep a login. A source is read as a whole, and only the one login that was named. */

export interface SourceRecord {
  readonly kind: string;
  readonly id: string;
  readonly value: unknown;
}

export interface Source {
  readonly format: 'baileys' | 'evolution' | 'waha_noweb' | 'fazer';
  /** Rejects with a Failure when there is no login, or a program still holds it. */
  read(): Promise<readonly SourceRecord[]>;
  /** Makes the copy useless for a program that starts again. Answers what was done, in a sentence. */
  retire(today: string): Promise<string>;
  close(): Promise<void>;
}

/** Files and records of one login. */
export const MAX_ENTRIES = 100_000;
export const MAX_ENTRY_BYTES = 1_048_576;
const MAX_BYTES = 32 * 1_048_576;

export function bundleOf({ format }: Source, records: readonly SourceRecord[]): string {
  const bundle = [{ format }, ...records].map((line) => `${JSON.stringify(line)}\n`).join('');
  if (Buffer.byteLength(bundle) > MAX_BYTES) throw new Failure('The login is larger than 32 MB, which the gateway does not take.');
  return bundle;
}

/** Two reads are equal when these are. */
export const digestOf = (records: readonly SourceRecord[]): string =>
  createHash('sha256')
    .update(
      records
        .map((record) => JSON.stringify(record))
        .toSorted()
        .join('\n'),
    )
    .digest('hex');

/** Kinds whose names contain dashes stand before those that begin them. */
const KINDS = [
  ...['sender-key-memory', 'sender-key', 'session', 'pre-key', 'lid-mapping', 'tctoken', 'app-state-sync-key', 'app-state-sync-version'],
  ...['device-list', 'identity-key'],
];

/** The record that `<kind>-<id>` names; null: none of a login. */
export function nameIn(name: string): Omit<SourceRecord, 'value'> | null {
  if (name === 'creds') return { kind: 'creds', id: 'creds' };
  const kind = KINDS.find((one) => name.startsWith(`${one}-`));
  return kind === undefined ? null : { kind, id: name.slice(kind.length + 1) };
}

/** The id that a file's name stands for: `/` was written as `__` and `:` as `-`, and groups of long ago have a dash of their own. */
export function idOfFile(kind: string, id: string): string {
  if (kind === 'app-state-sync-key') return id.replaceAll('__', '/');
  return kind === 'sender-key' ? id.replace(/^(.+)--(.+?)--(.+)$/, '$1::$2::$3') : id;
}
