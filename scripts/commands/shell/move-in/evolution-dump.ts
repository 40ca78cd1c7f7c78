import { createReadStream } from 'node:fs';
import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Failure } from '../../cluster/operator.ts';
import { jsonIn, recordsIn } from './folder.ts';
import { evolutionKeysIn } from './redis-source.ts';
import { isRedis, type Source, type SourceRecord } from './source.ts';

/** The id of the `Instance` row names the login in `Session`, the folder of its keys, and its entry in Redis. */
export function evolutionSource(paths: readonly string[], instance: string): Source {
  return {
    format: 'evolution',
    async read() {
      const { dumps, folders, addresses } = await sorted(paths);
      const ids = new Set<string>();
      const logins = new Map<string, string>();
      for (const dump of dumps) {
        await rowsOf(dump, 'Instance', ({ id, name }) => void (name === instance && id && ids.add(id)));
        await rowsOf(dump, 'Session', ({ sessionId, creds }) => void (sessionId && creds && logins.set(sessionId, creds)));
      }
      const id = idOf(ids, instance, logins);
      const creds = logins.get(id);
      const records: SourceRecord[] = creds === undefined ? [] : [{ kind: 'creds', id: 'creds', value: jsonIn(creds) }];
      for (const folder of folders) records.push(...(await recordsIn(join(folder, id)).catch(() => [])));
      for (const address of addresses)
        records.push(...(await evolutionKeysIn(address, id)).filter(({ kind }) => creds === undefined || kind !== 'creds'));
      if (!records.some(({ kind }) => kind === 'creds')) throw new Failure(`The source has no login for the instance ${instance}.`);
      return records;
    },
    retire: async () => `Delete the instance ${instance} from Evolution's database before Evolution starts again; do not log it out.`,
    close: async () => {},
  };
}

function idOf(ids: ReadonlySet<string>, instance: string, logins: ReadonlyMap<string, string>): string {
  const [id, other] = ids;
  if (other !== undefined) throw new Failure(`Several instances are called ${instance}. Choose one by its id with --instance.`);
  if (id !== undefined) return id;
  if (logins.has(instance) || /^[0-9a-f-]{36}$/i.test(instance)) return instance;
  throw new Failure(`The source has no instance ${instance}.`);
}

async function sorted(paths: readonly string[]) {
  const [dumps, folders]: [string[], string[]] = [[], []];
  const addresses = paths.filter(isRedis);
  for (const path of paths.filter((one) => !isRedis(one))) {
    const facts = await lstat(path).catch(() => null);
    if (facts?.isDirectory()) folders.push(path);
    else if (facts?.isFile()) dumps.push(path);
    else throw new Failure(`The file or folder ${path} does not exist.`);
  }
  return { dumps, folders, addresses };
}

type Row = Readonly<Record<string, string | undefined>>;

const COPY = /^COPY (?:[\w"]+\.)?"?(\w+)"? \(([^)]*)\) FROM stdin;$/;
const MAX_LINE = 16 * 1_048_576;

async function rowsOf(dump: string, table: string, take: (row: Row) => void): Promise<void> {
  let columns: readonly string[] | null = null;
  for await (const line of createInterface({ input: createReadStream(dump, 'utf8'), crlfDelay: Number.POSITIVE_INFINITY })) {
    if (columns) {
      if (line === '\\.') columns = null;
      else if (line.length <= MAX_LINE) take(rowOf(columns, line));
      continue;
    }
    const [, name, listed = ''] = COPY.exec(line) ?? [];
    if (name === table) columns = listed.split(',').map((column) => column.trim().replaceAll('"', ''));
  }
}

const rowOf = (columns: readonly string[], line: string): Row => {
  const cells = line.split('\t');
  return Object.fromEntries(columns.map((column, nth) => [column, cellOf(cells[nth])]));
};

const ESCAPED: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v' };

const cellOf = (text: string | undefined): string | undefined =>
  text === undefined || text === '\\N' ? undefined : text.replace(/\\(.)/g, (_all, one: string) => ESCAPED[one] ?? one);
