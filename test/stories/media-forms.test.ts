import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import sharp from 'sharp';
import { sandboxVerbs } from '../../actors/network/sandbox/api.ts';
import { aRealGateway } from '../actors/network/whatsapp/gateway.ts';
import { trustFilesOf } from '../actors/network/whatsapp/trusting.ts';
import { tone, wavOf } from '../actors/services/media/convert/samples.ts';
import { MP4, upload } from '../actors/services/media/files.ts';
import { ANNA, type Api, aGateway, PHONE } from '../support/gateway.ts';
import { embedded, type Scope } from '../support/stores.ts';

const OWNER = '6281100009999';
const photo = (): Promise<Buffer> =>
  sharp({ create: { width: 60, height: 40, channels: 3, background: 'red' } })
    .jpeg()
    .toBuffer();

type Fields = Readonly<Record<string, unknown>>;
interface Sent {
  readonly fields: Fields;
  readonly file: keyof typeof FILES;
  /** The field of the message, and what it says; inside of which of them it is, `kinds-on-the-wire.test.ts` looks. */
  readonly wire: readonly [field: string, says: Fields];
  /** What the sandbox's phone shows. */
  readonly shows: Fields;
  readonly ignores?: string;
}

const FILES = {
  image: async () => photo(),
  video: async () => MP4,
  audio: async () => wavOf(tone({ seconds: 2 })),
  document: async () => Buffer.from('prices'),
} as const;

const SENT: Readonly<Record<string, Sent>> = {
  'a picture once': {
    ...{ file: 'image', fields: { view_once: true }, shows: { view_once: true, width: 60, height: 40 } },
    wire: ['imageMessage', { viewOnce: true, width: 60, height: 40 }],
  },
  'a video once': {
    ...{ file: 'video', fields: { view_once: true }, shows: { view_once: true, seconds: 1 } },
    wire: ['videoMessage', { viewOnce: true, seconds: 1, width: 32, height: 16 }],
  },
  'a voice note once': {
    ...{ file: 'audio', fields: { view_once: true, voice_note: true }, shows: { view_once: true, voice_note: true, seconds: 2 } },
    wire: ['audioMessage', { viewOnce: true, ptt: true, seconds: 2 }],
  },
  'a round video note': {
    ...{ file: 'video', fields: { round: true }, shows: { round: true, seconds: 1 } },
    wire: ['ptvMessage', { seconds: 1, width: 32, height: 16 }],
  },
  'a looping video': {
    ...{ file: 'video', fields: { gif: true }, shows: { gif: true } },
    wire: ['videoMessage', { gifPlayback: true }],
  },
  'a round video note once': {
    ...{ file: 'video', fields: { round: true, view_once: true }, shows: { round: true, view_once: undefined }, ignores: 'view_once' },
    wire: ['ptvMessage', { viewOnce: undefined }],
  },
  'a document once': {
    ...{ file: 'document', fields: { view_once: true }, shows: { view_once: undefined }, ignores: 'view_once' },
    wire: ['documentMessage', {}],
  },
};

const pick = (from: Fields, like: Fields): Fields => Object.fromEntries(Object.keys(like).map((name) => [name, from[name] ?? undefined]));

/** Sends it; answers the full entry once it has left. */
async function sends(
  gateway: { readonly node: { readonly url: string }; until: Awaited<ReturnType<typeof aGateway>>['until'] },
  { api, token, path }: { readonly api: Api; readonly token: string; readonly path: string },
  { file, fields, ignores }: Sent,
): Promise<Fields & { readonly wa_message_id: string }> {
  const { key } = (await upload(gateway, { tokens: { token } }, await FILES[file](), 'a file')).body;
  const order = { chat_id: ANNA, type: file, media_r2_key: key, ...fields };
  const { status, body } = await api('POST', `${path}/messages`, order);
  assert.equal(status, 202, JSON.stringify(body));
  const ignored = (body.warnings ?? []).filter(({ code }: { code: string }) => code === 'FIELD_IGNORED');
  assert.equal(ignored.length, ignores === undefined ? 0 : 1);
  if (ignores !== undefined) assert.ok(ignored[0].message.startsWith(ignores), ignored[0].message);
  return gateway.until('it has left', async () => {
    const entry = (await api('GET', `${path}/messages/${body.id}`)).body;
    return entry.wa_message_id && entry;
  });
}

async function aRealShop(t: Scope) {
  const gateway = await aRealGateway(t, embedded);
  trustFilesOf(gateway.peer, t);
  const token = await gateway.signUp(OWNER);
  const api = gateway.as(token);
  const path = await gateway.linked(api, PHONE);
  return { gateway, caller: { api, token, path } };
}

describe('view-once media, round videos and GIFs', () => {
  it('are marked as such on sandbox phones', async (t) => {
    const gateway = await aGateway(t, { kind: embedded });
    const acme = await gateway.signUp();
    const device = await acme.linked(PHONE);
    const caller = { api: acme.api, token: acme.tokens.token, path: device.path };
    for (const [name, sent] of Object.entries(SENT)) {
      const { wa_message_id: id, media } = await sends(gateway, caller, sent);
      const shown = await gateway.until(name, () =>
        sandboxVerbs(gateway.sandbox)
          .messages(ANNA)
          .messages.find((one) => one.id === id),
      );
      assert.deepEqual(pick({ ...shown }, sent.shows), sent.shows, name);
      const { width: _, height: __, ...marks } = sent.shows;
      assert.deepEqual(pick(media as Fields, marks), marks, name);
    }
  });

  it("use the wire format of the network's own apps", async (t) => {
    const { gateway, caller } = await aRealShop(t);
    const anna = gateway.peer.contact(ANNA);
    for (const [name, sent] of Object.entries(SENT)) {
      const { wa_message_id: id } = await sends(gateway, caller, sent);
      await gateway.until(name, () => anna.shows().some(({ netId }) => netId === id));
      const { message } = anna.shown(id);
      const [field, says] = sent.wire;
      const found = Object(Object({ ...message, ...message.viewOnceMessageV2Extension?.message })[field]);
      assert.deepEqual(pick(found, says), says, `${name}: ${Object.keys(message)}`);
    }
    assert.deepEqual(gateway.peer.journal.events('violation'), []);
  });
});
