import { access, rename } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import { DatabaseSync, type SQLOutputValue } from 'node:sqlite';
import { Failure } from '../../cluster/operator.ts';
import { MAX_ENTRIES, type Source, type SourceRecord } from './source.ts';

/**
 * Reads a login from whatsmeow's SQLite file (WAHA GOWS, GOWA, wuzapi). The file may hold several devices; only the rows
 * of the chosen one are read, and its contacts are not.
 */

type Row = Readonly<Record<string, SQLOutputValue>>;

const DEVICE = `SELECT jid, nullif(lid, '') AS lid, registration_id, noise_key, identity_key,
  signed_pre_key, signed_pre_key_id, signed_pre_key_sig, adv_key, adv_details, adv_account_sig, adv_account_sig_key, adv_device_sig,
  platform, push_name,
  (SELECT coalesce(max(key_id), 0) + 1 FROM whatsmeow_pre_keys AS k WHERE k.jid = d.jid) AS next_pre_key_id,
  (SELECT min(key_id) FROM whatsmeow_pre_keys AS k WHERE k.jid = d.jid AND NOT uploaded) AS first_unuploaded_pre_key_id,
  (SELECT key_id FROM whatsmeow_app_state_sync_keys AS s WHERE s.jid = d.jid ORDER BY timestamp DESC LIMIT 1) AS app_state_key
  FROM whatsmeow_device AS d`;

/** Mappings belong to no device, so only those of people with a session are read. */
const MAPPINGS = `SELECT lid, pn FROM whatsmeow_lid_map WHERE lid IN (SELECT user FROM people) OR pn IN (SELECT user FROM people)`;
const PEOPLE = `WITH people AS (SELECT substr(their_id, 1, instr(replace(their_id, '_', ':'), ':') - 1) AS user
  FROM whatsmeow_sessions WHERE our_jid = ?)`;

const TABLES: readonly { readonly table: string; readonly query: string; of(row: Row): readonly SourceRecord[] }[] = [
  {
    table: 'whatsmeow_sessions',
    query: 'SELECT their_id, session FROM whatsmeow_sessions WHERE our_jid = ?',
    of: ({ their_id, session }) => [{ kind: 'session', id: String(their_id).replace(':', '.'), value: plain(session) }],
  },
  {
    table: 'whatsmeow_sender_keys',
    query: 'SELECT chat_id, sender_id, sender_key FROM whatsmeow_sender_keys WHERE our_jid = ?',
    of: ({ chat_id, sender_id, sender_key }) => [
      { kind: 'sender-key', id: `${chat_id}::${String(sender_id).replace(':', '::')}`, value: plain(sender_key) },
    ],
  },
  {
    table: 'whatsmeow_pre_keys',
    query: 'SELECT key_id, key FROM whatsmeow_pre_keys WHERE jid = ?',
    of: ({ key_id, key }) => [{ kind: 'pre-key', id: String(key_id), value: plain(key) }],
  },
  {
    table: 'whatsmeow_app_state_sync_keys',
    query: 'SELECT key_id, key_data, timestamp FROM whatsmeow_app_state_sync_keys WHERE jid = ?',
    of: ({ key_id, key_data, timestamp }) => [
      { kind: 'app-state-sync-key', id: base64(key_id), value: { keyData: base64(key_data), timestamp: String(timestamp) } },
    ],
  },
  {
    table: 'whatsmeow_privacy_tokens',
    query: 'SELECT their_jid, token, timestamp FROM whatsmeow_privacy_tokens WHERE our_jid = ?',
    of: ({ their_jid, token, timestamp }) => [
      { kind: 'tctoken', id: String(their_jid), value: { token: plain(token), timestamp: String(timestamp) } },
    ],
  },
  {
    table: 'whatsmeow_lid_map',
    query: `${PEOPLE} ${MAPPINGS}`,
    of: ({ lid, pn }) => [
      { kind: 'lid-mapping', id: String(pn), value: String(lid) },
      { kind: 'lid-mapping', id: `${lid}_reverse`, value: String(pn) },
    ],
  },
];

export function whatsmeowSource(path: string, instance: string | undefined): Source {
  const file = resolve(path);
  return {
    format: 'whatsmeow',
    async read() {
      const database = await opened(file);
      try {
        return recordsIn(database, file, instance);
      } finally {
        database.close();
      }
    },
    async retire(today) {
      const database = await opened(file);
      const devices = devicesIn(database, file);
      database.close();
      if (devices.length > 1)
        return `Delete the device of ${instance} from ${file} before the old program starts again, and do not log it out (docs/moving-in.md).`;
      const moved = `${file}.moved-${today}`;
      await rename(file, moved);
      for (const part of ['-wal', '-shm']) await rename(`${file}${part}`, `${moved}${part}`).catch(() => {});
      return `The old file is now called ${basename(moved)}, so the old program cannot use it again.`;
    },
    close: async () => {},
  };
}

async function opened(file: string): Promise<DatabaseSync> {
  await access(file).catch(() => {
    throw new Failure(`The file ${file} does not exist, or you cannot read it.`);
  });
  try {
    return new DatabaseSync(file, { readOnly: true, allowExtension: false, timeout: 5_000 });
  } catch {
    throw notReadable(file);
  }
}

function recordsIn(database: DatabaseSync, file: string, instance: string | undefined): readonly SourceRecord[] {
  const device = chosen(devicesIn(database, file), instance);
  const { app_state_key, ...row } = device;
  const value = { ...row, app_state_key_id: app_state_key === null ? null : base64(app_state_key) };
  const records: SourceRecord[] = [
    { kind: 'creds', id: 'creds', value: Object.fromEntries(Object.entries(value).map(([name, cell]) => [name, plain(cell)])) },
  ];
  for (const { table, query, of } of TABLES) {
    if (!isTable(database, table)) continue;
    for (const found of database.prepare(query).iterate(String(device['jid']))) {
      records.push(...of(found));
      if (records.length > MAX_ENTRIES) throw new Failure(`The login has more than ${MAX_ENTRIES} records.`);
    }
  }
  return records;
}

function devicesIn(database: DatabaseSync, file: string): readonly Row[] {
  try {
    const needed = ['whatsmeow_device', 'whatsmeow_pre_keys', 'whatsmeow_app_state_sync_keys'];
    if (needed.every((table) => isTable(database, table))) return database.prepare(`${DEVICE} LIMIT 1000`).all();
  } catch {
    // Another program has locked the file, it is no database, or it has other columns.
  }
  throw notReadable(file);
}

const notReadable = (file: string): Failure =>
  new Failure(
    `${file} cannot be read as a database of whatsmeow. Stop the old program, and specify the SQLite file that contains the table whatsmeow_device.`,
  );

/** A view could read anything, so only tables are read. */
const isTable = (database: DatabaseSync, name: string): boolean =>
  database.prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?").get(name) !== undefined;

function chosen(devices: readonly Row[], instance: string | undefined): Row {
  const phoneOf = ({ jid }: Row): string => String(jid).replace(/[:@].*/, '');
  const [device, other] = instance === undefined ? devices : devices.filter((one) => one['jid'] === instance || phoneOf(one) === instance);
  if (device === undefined) throw new Failure(instance === undefined ? 'The file has no login.' : `The file has no login for ${instance}.`);
  if (other !== undefined)
    throw new Failure(`Several logins match. Choose one with --instance: ${[device, other].map(({ jid }) => jid).join(', ')}, …`);
  return device;
}

/** Bytes in the notation of Baileys' `BufferJSON`. */
function plain(cell: SQLOutputValue | undefined): unknown {
  if (cell instanceof Uint8Array) return { type: 'Buffer', data: base64(cell) };
  return typeof cell === 'bigint' ? Number(cell) : cell;
}

const base64 = (cell: SQLOutputValue | undefined): string => (cell instanceof Uint8Array ? Buffer.from(cell).toString('base64') : '');
