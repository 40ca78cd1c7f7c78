import assert from 'node:assert/strict';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { Writable } from 'node:stream';
import { it } from 'node:test';
import { pino } from 'pino';
import { sandboxVerbs } from '../../actors/network/sandbox/api.ts';
import { openEmbedded } from '../../store/engines/embedded/embedded.ts';
import { aGateway, PHONE } from '../support/gateway.ts';
import { aDirectory, type StoreKind } from '../support/stores.ts';

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
];
const NEEDLES = [...WORDS, DORA, '62 812-4444-0004'];

const filesUnder = (directory: string): readonly string[] =>
  readdirSync(directory, { recursive: true, encoding: 'utf8' })
    .map((name) => `${directory}/${name}`)
    .filter((path) => statSync(path).isFile());

/** Needles that stand in the raw bytes of these files. */
function foundIn(directory: string): readonly string[] {
  const bytes = filesUnder(directory).map((path) => readFileSync(path));
  return NEEDLES.filter((needle) => bytes.some((one) => one.includes(needle)));
}

it('after an erasure no word of hers stands in the raw bytes of the database, files, exports and log', async (t) => {
  const directory = aDirectory(t);
  const store = openEmbedded({ path: `${directory}/gateway.db` });
  const kind: StoreKind = { name: 'embedded', fresh: async () => store };
  const lines: string[] = [];
  const sink = new Writable({
    write(chunk, _encoding, done) {
      lines.push(String(chunk));
      done();
    },
  });
  const gateway = await aGateway(t, { kind, config: { data_dir: directory }, log: pino({ level: 'info' }, sink) });
  const tenant = await gateway.signUp();
  const desk = await tenant.linked(PHONE);
  const post = async (path: string, body: object) => {
    const answer = await gateway.during(tenant.api('POST', path, body));
    assert.ok(answer.status < 300, `${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body;
  };
  await post('/v1/contacts', { phone: `+${DORA}`, name: 'nmpangolin', var1: 'vrwombat', attrs: { pet: 'attrokapi' } });
  gateway.sandbox.phone(DORA).write({ to: PHONE, content: { type: 'text', body: 'inquokka, +62 812-4444-0004' } });
  const file = { base64: Buffer.from('bytesibex').toString('base64'), filename: 'fnaxolotl.txt' };
  sandboxVerbs(gateway.sandbox).write(DORA, { to: PHONE, type: 'document', caption: 'capnarwhal', file });
  await gateway.until('she is heard', async () => {
    const { messages } = (await tenant.api('GET', `${desk.path}/messages?direction=inbound`)).body;
    return messages.length >= 2;
  });
  await desk.text(DORA, 'outtapir');
  const scheduled_at = gateway.clock.now() + 86_400_000;
  await post(`${desk.path}/scheduled`, { chat_id: DORA, type: 'text', body: 'schedkakapo', scheduled_at });
  const recipients = [{ phone: `+${DORA}`, name: 'rcptdugong' }];
  await post('/v1/blasts', { session_id: desk.id, name: 'n', message_type: 'text', body: 'Hi', recipients });
  const { id } = await post('/v1/privacy/exports', {});
  await gateway.until('the export is done', async () => (await tenant.api('GET', `/v1/privacy/exports/${id}`)).body.status === 'done');
  assert.deepEqual(foundIn(directory), NEEDLES, 'they are there before');

  const erasure = await post('/v1/privacy/erasures', { phone: `+${DORA}`, confirm: true });
  await gateway.until('she is erased', async () => (await tenant.api('GET', `/v1/privacy/erasures/${erasure.id}`)).body.status === 'done');
  await gateway.clock.advance(2 * 60_000);
  await gateway.during(gateway.node.stop());
  await store.close();
  assert.deepEqual(foundIn(directory), []);
  assert.deepEqual(
    NEEDLES.filter((needle) => lines.some((line) => line.includes(needle))),
    [],
  );
});
