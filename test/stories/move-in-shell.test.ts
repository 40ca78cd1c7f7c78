import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, it, type TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Redis } from 'ioredis';
import { idOfFile, nameIn } from '../../scripts/commands/shell/move-in/source.ts';
import { aGateway, OTHER_PROCESS_MS, PHONE } from '../support/gateway.ts';
import { aRedis, whereRedisIs } from '../support/redis.ts';
import { aDirectory, embedded } from '../support/stores.ts';

const GATEWAY = fileURLToPath(new URL('../../scripts/commands/gateway.js', import.meta.url));
const OTHER = '6281100000042';

const bytes = (length: number, first?: number) => ({
  type: 'Buffer',
  data: Buffer.concat([Buffer.from(first === undefined ? [] : [first]), randomBytes(length)]).toString('base64'),
});
const pair = () => ({ public: bytes(32), private: bytes(32) });
const text = (length: number, first?: number): string => bytes(length, first).data;

const aLogin = (phone: string) => ({
  ...{ noiseKey: pair(), pairingEphemeralKeyPair: pair(), signedIdentityKey: pair() },
  signedPreKey: { keyPair: pair(), signature: bytes(64), keyId: 1 },
  ...{ registrationId: 99, advSecretKey: text(32), nextPreKeyId: 31, firstUnuploadedPreKeyId: 31, registered: false },
  me: { id: `${phone}:7@s.whatsapp.net`, lid: '998877665544:7@lid', name: 'Toko' },
  account: { details: text(40), accountSignatureKey: text(32), accountSignature: text(64), deviceSignature: text(64) },
});

function aSession() {
  const [base, ours] = [text(32, 5), text(32, 5)];
  const session = {
    registrationId: 5,
    currentRatchet: { ephemeralKeyPair: { pubKey: ours, privKey: text(32) }, previousCounter: 0, rootKey: text(32) },
    indexInfo: { baseKey: base, baseKeyType: 1, closed: -1, used: 1, created: 1, remoteIdentityKey: text(32, 5) },
    _chains: { [ours]: { chainKey: { counter: 2, key: text(32) }, chainType: 1, messageKeys: {} } },
  };
  return { _sessions: { [base]: session }, version: 'v1' };
}

/** A folder as Baileys leaves it, with a link and a folder that are none of its own. */
function aFolder(t: TestContext): string {
  const folder = join(aDirectory(t), 'auth');
  mkdirSync(join(folder, 'nested'), { recursive: true });
  const write = (name: string, value: unknown): void => writeFileSync(join(folder, `${name}.json`), JSON.stringify(value));
  write('creds', aLogin(PHONE));
  write('session-6281211110001.0', aSession());
  write('session-998811112222_1.0', aSession());
  write('pre-key-7', pair());
  write('lid-mapping-6281211110001', '998811112222');
  write('lid-mapping-998811112222_reverse', '6281211110001');
  write('app-state-sync-version-regular', { version: 3 });
  write('session-6281211110009.0', { half: 'written' });
  writeFileSync(join(dirname(folder), 'elsewhere.json'), JSON.stringify(pair()));
  symlinkSync(join(dirname(folder), 'elsewhere.json'), join(folder, 'pre-key-8.json'));
  writeFileSync(join(folder, 'nested', 'pre-key-9.json'), JSON.stringify(pair()));
  return folder;
}

/** A file with logins and one person for each. A view in it shows the session of another login as its own. */
function aWhatsmeowFile(file: string, phones: readonly string[]): void {
  const database = new DatabaseSync(file);
  const columns = ['lid', 'noise_key', 'identity_key', 'signed_pre_key', 'signed_pre_key_sig', 'adv_key', 'adv_details'];
  const signed = ['adv_account_sig', 'adv_account_sig_key', 'adv_device_sig'];
  database.exec(`PRAGMA journal_mode = WAL;
    CREATE TABLE whatsmeow_device (jid, registration_id, signed_pre_key_id, platform, push_name, ${[...columns, ...signed].join(', ')});
    CREATE TABLE whatsmeow_pre_keys (jid, key_id, key, uploaded);
    CREATE TABLE whatsmeow_app_state_sync_keys (jid, key_id, key_data, timestamp);
    CREATE TABLE whatsmeow_sessions (our_jid, their_id, session);
    CREATE TABLE whatsmeow_lid_map (lid, pn);
    CREATE VIEW whatsmeow_privacy_tokens AS SELECT our_jid, their_id AS their_jid, session AS token, 1 AS timestamp FROM whatsmeow_sessions;`);
  for (const [nth, phone] of phones.entries()) {
    const jid = `${phone}:7@s.whatsapp.net`;
    const lengths = [32, 32, 32, 64, 32, 40, 64, 32, 64].map((length) => randomBytes(length));
    database
      .prepare(`INSERT INTO whatsmeow_device VALUES (${Array.from({ length: 15 }, () => '?').join(', ')})`)
      .run(jid, 2_786_916_860, 1, 'android', 'Toko', `99887766554${nth}:7@lid`, ...lengths);
    database.prepare('INSERT INTO whatsmeow_pre_keys VALUES (?, 30, ?, true)').run(jid, randomBytes(32));
    database.prepare('INSERT INTO whatsmeow_lid_map VALUES (?, ?)').run(`99881111222${nth}`, `628121111000${nth}`);
    const session = Buffer.from(JSON.stringify(aGoSession()));
    database.prepare('INSERT INTO whatsmeow_sessions VALUES (?, ?, ?)').run(jid, `99881111222${nth}_1:0`, session);
  }
  database.close();
}

function aGoSession() {
  const chain = (secret: string | null) => ({
    ...{ SenderRatchetKeyPublic: text(32, 5), SenderRatchetKeyPrivate: secret },
    ...{ ChainKey: { Key: text(32), Index: 3 }, MessageKeys: [{ CipherKey: text(32), MacKey: text(32), IV: text(16), Index: 1 }] },
  });
  const state = {
    ...{ PendingPreKey: null, PreviousCounter: 4_294_967_295, RemoteIdentityPublic: text(32, 5), RemoteRegistrationID: 5 },
    ...{ RootKey: text(32), SenderBaseKey: text(32, 5), SenderChain: chain(text(32)), ReceiverChains: [chain(null)] },
  };
  return { SessionState: state, PreviousStates: [{ ...state, SenderBaseKey: text(32, 5) }] };
}

async function aShell(t: TestContext) {
  const gateway = await aGateway(t, { kind: embedded });
  const { api } = await gateway.signUp();
  const { key } = (await api('POST', '/v1/api-keys', { name: 'Shell', scopes: ['read', 'manage'] })).body;
  const env = { ...process.env, GATEWAY_URL: gateway.node.url, GATEWAY_KEY: key };
  const shell = (...args: readonly string[]): Promise<{ exitCode: number; out: string; err: string }> =>
    gateway.during(
      new Promise((resolve) => {
        const child = execFile(process.execPath, [GATEWAY, ...args], { env }, (_cause, out, err) =>
          resolve({ exitCode: child.exitCode ?? -1, out, err }),
        );
      }),
      OTHER_PROCESS_MS,
    );
  return { api, shell };
}

// At once: the command reads each source twice, ten real seconds apart.
describe('the shell command that moves a login', { concurrency: true }, () => {
  it('imports a Baileys folder, and disables the login in the old program', { timeout: 600_000 }, async (t) => {
    const { api, shell } = await aShell(t);
    const folder = aFolder(t);
    const { id } = (await api('POST', '/v1/sessions', { name: 'Desk' })).body;

    const checked = await shell('move-in', folder, '--from', 'baileys', '--session', id, '--check', '--json');
    assert.equal(checked.exitCode, 0, checked.err);
    const judged = JSON.parse(checked.out);
    assert.equal(judged.phone, PHONE);
    assert.deepEqual(judged.accepted, { creds: 1, 'lid-mapping': 2, 'pre-key': 1, session: 2 });
    assert.deepEqual(judged.dropped, [{ kind: 'session', id: '6281211110009.0', why: 'bad_value' }]);
    assert.ok(existsSync(folder));

    const moved = await shell('move-in', folder, '--from', 'baileys');
    assert.equal(moved.exitCode, 0, moved.err);
    assert.match(moved.out, /Moved: the device .* is online/);
    const { status, phone_number } = (await api('GET', `/v1/sessions/${id}`)).body;
    assert.deepEqual([status, phone_number], ['connected', PHONE], 'an unlinked device receives the login');
    assert.ok(!existsSync(folder));
    assert.ok(readdirSync(dirname(folder)).some((name) => name.startsWith(`${basename(folder)}.moved-`)));
  });

  it('rejects invalid arguments, and a source that changes while it is read', { timeout: 600_000 }, async (t) => {
    const { shell } = await aShell(t);
    const folder = aFolder(t);
    const writing = setInterval(() => writeFileSync(join(folder, 'pre-key-9.json'), JSON.stringify(pair())), 500);
    t.after(() => clearInterval(writing));
    const { exitCode, err } = await shell('move-in', folder, '--from', 'baileys', '--check');
    clearInterval(writing);
    assert.equal(exitCode, 1);
    assert.match(err, /old program is still running/);
    for (const args of [
      [folder, '--from', 'nothing'],
      [folder, '--from', 'evolution'],
      ['--from', 'baileys'],
    ])
      assert.equal((await shell('move-in', ...args)).exitCode, 2, args.join(' '));
  });

  it('imports only the named instance from an Evolution dump', { timeout: 600_000 }, async (t) => {
    const { shell, api } = await aShell(t);
    const directory = aDirectory(t);
    const ids = { shop: '11111111-1111-4111-8111-111111111111', rival: '22222222-2222-4222-8222-222222222222' };
    const copied = (value: unknown): string => JSON.stringify(JSON.stringify(value)).replaceAll('\\', '\\\\');
    const dump = [
      'COPY public."Instance" (id, name, "connectionStatus") FROM stdin;',
      ...Object.entries(ids).map(([name, id]) => `${id}\t${name}\topen`),
      '\\.',
      'COPY public."Session" (id, "sessionId", creds, "createdAt") FROM stdin;',
      `a\t${ids.shop}\t${copied(aLogin(PHONE))}\t2026-01-01 00:00:00`,
      `b\t${ids.rival}\t${copied(aLogin(OTHER))}\t2026-01-01 00:00:00`,
      '\\.',
      '',
    ].join('\n');
    const file = join(directory, 'evolution.sql');
    writeFileSync(file, dump);
    const instances = join(directory, 'instances');
    for (const [id, person] of [
      [ids.shop, '6281211110001'],
      [ids.rival, '6281211110002'],
    ] as const) {
      mkdirSync(join(instances, id), { recursive: true });
      writeFileSync(join(instances, id, `session-${person}.0.json`), JSON.stringify(aSession()));
    }
    const checked = await shell('move-in', file, instances, '--from', 'evolution', '--instance', 'shop', '--check', '--json');
    assert.equal(checked.exitCode, 0, checked.err);
    const { phone, accepted, dropped } = JSON.parse(checked.out);
    assert.deepEqual([phone, accepted, dropped], [PHONE, { creds: 1, session: 1 }, []]);
    assert.equal((await shell('move-in', file, '--from', 'evolution', '--instance', 'nobody', '--check')).exitCode, 1);
    assert.ok((await api('GET', '/v1/sessions')).body.sessions.every(({ status }: { status: string }) => status === 'pending'));
  });

  it('imports only the named login from a whatsmeow file', { timeout: 600_000 }, async (t) => {
    const { shell } = await aShell(t);
    const file = join(aDirectory(t), 'whatsapp.db');
    aWhatsmeowFile(file, [PHONE, OTHER]);
    const checked = await shell('move-in', file, '--from', 'whatsmeow', '--instance', PHONE, '--check', '--json');
    assert.equal(checked.exitCode, 0, checked.err);
    const { phone, accepted, dropped } = JSON.parse(checked.out);
    assert.deepEqual([phone, accepted, dropped], [PHONE, { creds: 1, 'lid-mapping': 2, 'pre-key': 1, session: 1 }, []]);
    const { exitCode, err } = await shell('move-in', file, '--from', 'whatsmeow', '--check');
    assert.equal(exitCode, 1);
    assert.match(err, /Several logins match.*62811/);
  });

  whereRedisIs('with a login in Redis', () => {
    it("reads the login by its exact name, and fails while a program holds the login's lease", { timeout: 600_000 }, async (t) => {
      const { shell } = await aShell(t);
      const { url } = await aRedis(t);
      const redis = new Redis(url);
      t.after(() => redis.disconnect());
      for (const [name, phone] of [
        ['shop', PHONE],
        ['rival', OTHER],
      ] as const) {
        const fields = { creds: aLogin(phone), 'session-6281211110001.0': aSession(), unknown: {} };
        for (const [field, value] of Object.entries(fields)) {
          await redis.hset(`evolution:instance:${name}`, field, JSON.stringify(JSON.stringify(value)));
          await redis.hset(`@baileys-api:connections:${name}:authState`, field, JSON.stringify(value));
        }
      }
      for (const from of ['evolution', 'fazer']) {
        const { exitCode, out, err } = await shell('move-in', url, '--from', from, '--instance', 'shop', '--check', '--json');
        assert.equal(exitCode, 0, err);
        const { phone, accepted } = JSON.parse(out);
        assert.deepEqual([phone, accepted], [PHONE, { creds: 1, session: 1 }]);
      }
      const id = '11111111-1111-4111-8111-111111111111';
      const dump = join(aDirectory(t), 'evolution.sql');
      const login = JSON.stringify(JSON.stringify(aLogin(PHONE))).replaceAll('\\', '\\\\');
      writeFileSync(dump, `COPY public."Session" (id, "sessionId", creds) FROM stdin;\na\t${id}\t${login}\n\\.\n`);
      await redis.hset(`evolution:instance:${id}`, 'session-6281211110001.0', JSON.stringify(JSON.stringify(aSession())));
      const both = await shell('move-in', dump, url, '--from', 'evolution', '--instance', id, '--check', '--json');
      assert.equal(both.exitCode, 0, both.err);
      assert.deepEqual(JSON.parse(both.out).accepted, { creds: 1, session: 1 }, 'the login of the dump with its keys in Redis');
      await redis.set('@baileys-api:connections:shop:lease', 'node-1', 'EX', 60);
      const { exitCode, err } = await shell('move-in', url, '--from', 'fazer', '--instance', 'shop', '--check');
      assert.equal(exitCode, 1);
      assert.match(err, /still running/);
    });
  });
});

it('file names from Baileys are converted back to record ids', () => {
  const read = (file: string) => {
    const name = nameIn(file);
    return name && [name.kind, idOfFile(name.kind, name.id)];
  };
  assert.deepEqual(read('sender-key-6281100-1612345678@g.us--998811112222_1--3'), [
    'sender-key',
    '6281100-1612345678@g.us::998811112222_1::3',
  ]);
  assert.deepEqual(read('sender-key-memory-120363000000000001@g.us'), ['sender-key-memory', '120363000000000001@g.us']);
  assert.deepEqual(read('app-state-sync-key-AAAA__b'), ['app-state-sync-key', 'AAAA/b']);
  assert.equal(read('package-lock'), null);
});
