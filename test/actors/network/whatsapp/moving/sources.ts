import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { memberOf } from '../../../../../runtime/shapes.ts';
import { evolutionSource } from '../../../../../scripts/commands/shell/move-in/evolution-dump.ts';
import { folderSource } from '../../../../../scripts/commands/shell/move-in/folder.ts';
import { redisSource } from '../../../../../scripts/commands/shell/move-in/redis-source.ts';
import type { Source, SourceRecord } from '../../../../../scripts/commands/shell/move-in/source.ts';

/** Where each program keeps a login: these write the login there, and answer the source that the shell reads. */

interface Place {
  /** An empty folder. */
  readonly directory: string;
  readonly phone: string;
  readonly redis: string | null;
}

type Records = readonly SourceRecord[];

export type Form = (place: Place, records: Records) => Source | Promise<Source>;

const nameOf = ({ kind, id }: SourceRecord): string => (kind === 'creds' ? kind : `${kind}-${id}`);

function inFolder(folder: string, records: Records): void {
  mkdirSync(folder, { recursive: true });
  for (const record of records) {
    const file = nameOf(record).replaceAll('/', '__').replaceAll(':', '-');
    writeFileSync(join(folder, `${file}.json`), JSON.stringify(record.value));
  }
}

async function inRedis(url: string, key: string, records: Records, textOf: (value: unknown) => string): Promise<void> {
  const redis = new Redis(url);
  await redis.hset(key, new Map(records.map((record) => [nameOf(record), textOf(record.value)])));
  redis.disconnect();
}

const twice = (value: unknown): string => JSON.stringify(JSON.stringify(value));

export function baileys7({ directory }: Place, records: Records): Source {
  inFolder(join(directory, 'auth'), records);
  return folderSource(join(directory, 'auth'), 'baileys');
}

/** Whether this person writes from a hidden address instead of from their number. */
export const isHidden = (person: string): boolean => Number(person.at(-1)) % 2 === 1;

/** Baileys 6 names a session and a group key by the address that wrote, and a hidden address like a number. */
export function baileys6({ directory }: Place, records: Records): Source {
  const numbers = new Map(
    records.flatMap(({ kind, id, value }) => (kind === 'lid-mapping' && !id.endsWith('_reverse') ? [[String(value), id]] : [])),
  );
  const named = ({ kind, id }: SourceRecord): string => {
    const plain = id.replace(/_1(?=[.:])/, '');
    const [, lid = '', device = ''] = /^(\d+)_1\.(\d+)$/.exec(id) ?? [];
    const number = numbers.get(lid) ?? '';
    return kind === 'session' && number !== '' && !isHidden(number) ? `${number}.${device}` : plain;
  };
  const kept = records.filter(({ kind }) => !['lid-mapping', 'tctoken', 'device-list'].includes(kind));
  inFolder(
    join(directory, 'auth'),
    kept.map((record) => ({ ...record, id: named(record) })),
  );
  return folderSource(join(directory, 'auth'), 'baileys');
}

export function waha({ directory, phone }: Place, records: Records): Source {
  const folder = join(directory, '.sessions', 'noweb', phone);
  inFolder(folder, records);
  return folderSource(folder, 'waha_noweb');
}

export async function fazer({ phone, redis }: Place, records: Records): Promise<Source> {
  const url = present(redis);
  await inRedis(url, `@baileys-api:connections:+${phone}:authState`, records, JSON.stringify);
  return redisSource(url, 'fazer', `+${phone}`);
}

/** The login in the database, and its keys in files. */
export function evolutionFiles({ directory, phone }: Place, records: Records): Source {
  const id = instanceOf(phone);
  inFolder(
    join(directory, 'instances', id),
    records.filter(({ kind }) => kind !== 'creds'),
  );
  return evolutionSource([dumpIn(directory, phone, records), join(directory, 'instances')], `shop ${phone}`);
}

/** The login in the database, and its keys in Redis. */
export async function evolutionBoth({ directory, phone, redis }: Place, records: Records): Promise<Source> {
  const url = present(redis);
  const keys = records.filter(({ kind }) => kind !== 'creds');
  await inRedis(url, `evolution:instance:${instanceOf(phone)}`, keys, twice);
  return evolutionSource([dumpIn(directory, phone, records), url], `shop ${phone}`);
}

export async function evolutionRedis({ phone, redis }: Place, records: Records): Promise<Source> {
  const url = present(redis);
  await inRedis(url, `evolution:instance:${instanceOf(phone)}`, records, twice);
  return redisSource(url, 'evolution', instanceOf(phone));
}

const instanceOf = (phone: string): string => `11111111-1111-4111-8111-${phone.slice(-12).padStart(12, '0')}`;

function dumpIn(directory: string, phone: string, records: Records): string {
  const creds = records.find(({ kind }) => kind === 'creds');
  const login = twice(memberOf(creds, 'value')).replaceAll('\\', '\\\\');
  const file = join(directory, 'evolution.sql');
  const lines = [
    'COPY public."Instance" (id, name, "ownerJid") FROM stdin;',
    `${instanceOf(phone)}\tshop ${phone}\t${phone}@s.whatsapp.net`,
    '\\.',
    'COPY public."Session" (id, "sessionId", creds) FROM stdin;',
    `a\t${instanceOf(phone)}\t${login}`,
    '\\.',
  ];
  writeFileSync(file, `${lines.join('\n')}\n`);
  return file;
}

function present(redis: string | null): string {
  if (redis === null) throw new Error('this source needs Redis');
  return redis;
}
