import assert from 'node:assert/strict';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { Writable } from 'node:stream';
import { it } from 'node:test';
import { pino } from 'pino';
import { lidOf } from '../../actors/network/sandbox/addresses.ts';
import { sandboxVerbs } from '../../actors/network/sandbox/api.ts';
import type { Config } from '../../scripts/wiring/config.ts';
import { openEmbedded } from '../../store/engines/embedded/embedded.ts';
import { remembering } from '../actors/services/privacy/erasure-fixture.ts';
import { aReceiver } from '../actors/services/webhooks/receiver.ts';
import { aGateway, PHONE } from '../support/gateway.ts';
import { anS3, s3Config } from '../support/s3/server.ts';
import { aDirectory, eachStore, type Scope, type StoreKind } from '../support/stores.ts';

const DORA = '6281244440004';
/** In every field of hers that the public interface takes. */
const WORDS = [
  'nmpangolin',
  'vrwombat',
  'attrokapi',
  'inquokka',
  'capnarwhal',
  'fnaxolotl',
  'bytesibex',
  'outtapir',
  'schedkakapo',
  'rcptdugong',
  'notequoll',
  'consnumbat',
];
const HIDDEN = lidOf(DORA).split('@', 1)[0] ?? '';
const NEEDLES = [...WORDS, DORA, '62 812-4444-0004', HIDDEN];
/** Of somebody whom nobody erased: they go with the account. */
const OTHERS = ['nmcassowary', 'filebandicoot'];

const filesUnder = (directory: string): readonly string[] =>
  readdirSync(directory, { recursive: true, encoding: 'utf8' })
    .map((name) => `${directory}/${name}`)
    .filter((path) => statSync(path).isFile());

const bytesUnder = (directory: string): readonly Buffer[] => filesUnder(directory).map((path) => readFileSync(path));

/** A store and a place for files, and all that lies in them. */
interface Keeping {
  readonly kind: StoreKind;
  readonly config: Partial<Config>;
  /** Once the gateway has stopped it is what is left on the disk. */
  close(): Promise<void>;
  all(): Promise<readonly Buffer[]>;
}

/** One file of a database, and files on the disk. */
function onDisk(scope: Scope): Keeping {
  const directory = aDirectory(scope);
  const store = openEmbedded({ path: `${directory}/gateway.db` });
  return {
    kind: { name: 'embedded', fresh: async () => store },
    config: { data_dir: directory },
    close: () => store.close(),
    all: async () => bytesUnder(directory),
  };
}

/** Every document of every collection, and a bucket. */
async function inBucket(scope: Scope, kind: StoreKind): Promise<Keeping> {
  const remembered = remembering(kind);
  const bucket = await anS3(scope);
  const directory = aDirectory(scope);
  const all = async (): Promise<readonly Buffer[]> => {
    const texts: string[] = [];
    for (const collection of remembered.opened.values()) texts.push(JSON.stringify(await collection.find({}).toArray()));
    return [...texts.map((text) => Buffer.from(text)), ...bucket.contents(), ...bytesUnder(directory)];
  };
  return { kind: remembered.kind, config: { data_dir: directory, ...s3Config(bucket) }, close: async () => {}, all };
}

const foundIn = (bytes: readonly Buffer[], needles: readonly string[]): readonly string[] =>
  needles.filter((needle) => bytes.some((one) => one.includes(needle)));

eachStore('the raw bytes of the database, files, exports and log', (kind) => {
  it('contain no text from an erased person, and no text from a business after account deletion', async (t) => {
    const keeping = kind.name === 'embedded' ? onDisk(t) : await inBucket(t, kind);
    const receiver = await aReceiver(t);
    const lines: string[] = [];
    const sink = new Writable({
      write(chunk, _encoding, done) {
        lines.push(String(chunk));
        done();
      },
    });
    const config = { ...keeping.config, egress_allow: [receiver.place] };
    const gateway = await aGateway(t, { kind: keeping.kind, config, log: pino({ level: 'info' }, sink) });
    const tenant = await gateway.signUp();
    const device = await tenant.linked(PHONE);
    const post = async (path: string, body: object) => {
      const answer = await gateway.during(tenant.api('POST', path, body));
      assert.ok(answer.status < 300, `${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
      return answer.body;
    };
    await post('/v1/webhooks', { url: receiver.url, secret: 'a secret that only the two of us know', events: ['message.received'] });
    await post('/v1/contacts', { phone: `+${DORA}`, name: 'nmpangolin', var1: 'vrwombat', attrs: { pet: 'attrokapi' } });
    const phone = gateway.sandbox.phone(DORA);
    phone.write({ to: PHONE, content: { type: 'text', body: 'inquokka, +62 812-4444-0004' } });
    const file = { base64: Buffer.from('bytesibex').toString('base64'), filename: 'fnaxolotl.txt' };
    sandboxVerbs(gateway.sandbox).write(DORA, { to: PHONE, type: 'document', caption: 'capnarwhal', file });
    phone.set({ lid: true });
    phone.write({ to: PHONE, content: { type: 'text', body: 'from a hidden address' } });
    await gateway.until('she is received', async () => {
      const { messages } = (await tenant.api('GET', `${device.path}/messages?direction=inbound`)).body;
      return messages.length >= 3;
    });
    await gateway.until('that was delivered', () => receiver.of('message.received').length >= 3);
    await device.text(DORA, 'outtapir');
    await post(`${device.path}/chats/${DORA}/notes`, { text: 'notequoll' });
    assert.equal((await tenant.api('PUT', `/v1/consent/+${DORA}`, { status: 'opted_in', note: 'consnumbat' })).status, 200);
    const scheduled_at = gateway.clock.now() + 86_400_000;
    await post(`${device.path}/scheduled`, { chat_id: DORA, type: 'text', body: 'schedkakapo', scheduled_at });
    const recipients = [{ phone: `+${DORA}`, name: 'rcptdugong' }];
    await post('/v1/blasts', { session_id: device.id, name: 'n', message_type: 'text', body: 'Hi', recipients });
    const { id } = await post('/v1/privacy/exports', {});
    await gateway.until('the export is done', async () => (await tenant.api('GET', `/v1/privacy/exports/${id}`)).body.status === 'done');
    assert.deepEqual(foundIn(await keeping.all(), NEEDLES), NEEDLES, 'they are there before');

    const erasure = await post('/v1/privacy/erasures', { phone: `+${DORA}`, confirm: true });
    await gateway.until(
      'she is erased',
      async () => (await tenant.api('GET', `/v1/privacy/erasures/${erasure.id}`)).body.status === 'done',
    );
    await gateway.clock.advance(2 * 60_000);
    assert.deepEqual(foundIn(await keeping.all(), NEEDLES), []);

    // The end of the account, with a file that nobody erased.
    await post('/v1/contacts', { phone: '+6281277770007', name: 'nmcassowary' });
    sandboxVerbs(gateway.sandbox).write('6281277770007', {
      to: PHONE,
      type: 'document',
      file: { base64: Buffer.from('filebandicoot').toString('base64'), filename: 'x.txt' },
    });
    await gateway.until('the file is there', async () => (await tenant.api('GET', '/v1/media')).body.media.length === 1);
    assert.deepEqual(foundIn(await keeping.all(), OTHERS), OTHERS);
    assert.equal((await gateway.during(tenant.api('DELETE', '/v1/account', { confirm: true }))).status, 202);
    const deletions = gateway.store.collection<{ _id: string; done_at: number | null }>({ name: 'account_deletions', indexes: [] });
    await gateway.clock.advance(29 * 60_000);
    await gateway.until('it is done', async () => (await deletions.findOne({ _id: tenant.id }))?.done_at != null);
    await gateway.clock.advance(2 * 60_000);
    await gateway.during(gateway.node.stop());
    await keeping.close();
    assert.deepEqual(foundIn(await keeping.all(), [...NEEDLES, ...OTHERS]), []);
    assert.deepEqual(
      [...NEEDLES, ...OTHERS].filter((needle) => lines.some((line) => line.includes(needle))),
      [],
    );
  });
});
