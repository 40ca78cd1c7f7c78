import assert from 'node:assert/strict';
import { it } from 'node:test';
import sharp from 'sharp';
import { sandboxVerbs } from '../../actors/network/sandbox/api.ts';
import { present } from '../../runtime/invariant.ts';
import { memberOf } from '../../runtime/shapes.ts';
import { aRealGateway, type RealGateway } from '../actors/network/whatsapp/gateway.ts';
import { trustFilesOf } from '../actors/network/whatsapp/trusting.ts';
import { tone, wavOf } from '../actors/services/media/convert/samples.ts';
import { MP4, upload } from '../actors/services/media/files.ts';
import { ANNA, type Api, aGateway, PHONE } from '../support/gateway.ts';
import { atNight } from '../support/night.ts';
import { eachStore, embedded, type Scope, type StoreKind } from '../support/stores.ts';

const OWNER = '6281100009999';
const VOICE_FORM = 'audio/ogg; codecs=opus';
/** Expects any bytes that are not empty. */
const SOME = 'some bytes';
const plain = (width: number, height: number, background: string) => sharp({ create: { width, height, channels: 3, background } });

async function movingGif(): Promise<Buffer> {
  const frames = await Promise.all(['red', 'blue'].map((colour) => plain(60, 40, colour).png().toBuffer()));
  return sharp(frames, { join: { animated: true } })
    .gif({ delay: [100, 100] })
    .toBuffer();
}

const LINK = 'https://shop.example/menu';
const PREVIEW = { title: 'Menu', description: 'Of today', url: LINK };

type Fields = Readonly<Record<string, unknown>>;
interface Sent {
  /** Fields of the send request. `type` is the kind of the file if it is absent. */
  readonly fields: Fields;
  readonly file?: keyof typeof FILES;
  /** The field of the network message that holds the file, and what it contains. `kinds-on-the-wire.test.ts` tests wrappers. */
  readonly wire: readonly [field: string, says: Fields];
  /** The fields of the message that the recipient's phone in the sandbox shows. */
  readonly shows: Fields;
  readonly ignores?: string;
}

const ONE_PAGE = `%PDF-1.4
1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj
2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj
3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]>>endobj
trailer<</Root 1 0 R>>
%%EOF`;

const FILES = {
  image: () => plain(60, 40, 'red').jpeg().toBuffer(),
  large: () => plain(2_000, 1_000, 'red').jpeg().withMetadata({ orientation: 6 }).toBuffer(),
  other: () => plain(61, 41, 'blue').jpeg().toBuffer(),
  gif: movingGif,
  video: async () => MP4,
  audio: async () => wavOf(tone({ seconds: 2 })),
  document: async () => Buffer.from('prices'),
  pdf: async () => Buffer.from(ONE_PAGE),
} as const;

const SENT: Readonly<Record<string, Sent>> = {
  'a picture': {
    ...{ file: 'large', fields: { type: 'image', caption: 'look' } },
    shows: { width: 800, height: 1_600, caption: 'look', thumbnail: { width: 50, height: 100 }, hd: undefined },
    wire: ['imageMessage', { width: 800, height: 1_600, caption: 'look', jpegThumbnail: SOME }],
  },
  'a picture in HD': {
    ...{ file: 'large', fields: { type: 'image', hd: true }, shows: { width: 1_000, height: 2_000, hd: true } },
    wire: ['imageMessage', { width: 1_000, height: 2_000 }],
  },
  'a voice note': {
    ...{ file: 'audio', fields: { voice_note: true } },
    shows: { voice_note: true, seconds: 2, file: { content_type: VOICE_FORM }, view_once: undefined },
    wire: ['audioMessage', { ptt: true, seconds: 2, mimetype: VOICE_FORM, waveform: SOME }],
  },
  'an animated sticker with its pack': {
    ...{ file: 'gif', fields: { type: 'sticker', sticker: { pack: 'Lunch', emojis: ['😀'] } } },
    shows: { sticker: { pack: 'Lunch', animated: true }, width: 512, height: 512, file: { content_type: 'image/webp' } },
    wire: ['stickerMessage', { isAnimated: true, width: 512, height: 512, mimetype: 'image/webp' }],
  },
  'a still sticker, whose pack is named after the business': {
    ...{ file: 'image', fields: { type: 'sticker' }, shows: { sticker: { pack: 'Acme', animated: false }, width: 512 } },
    wire: ['stickerMessage', { isAnimated: undefined, width: 512, height: 512 }],
  },
  'a document with its pages': {
    ...{ file: 'pdf', fields: { type: 'document', filename: 'menu.pdf' }, shows: { pages: 1, file: { filename: 'menu.pdf' } } },
    wire: ['documentMessage', { pageCount: 1, fileName: 'menu.pdf' }],
  },
  'a link with a preview': {
    fields: { type: 'text', body: `See ${LINK}.`, link_preview: PREVIEW },
    shows: { preview: { title: 'Menu', url: LINK } },
    wire: ['extendedTextMessage', { matchedText: LINK, title: 'Menu', description: 'Of today' }],
  },
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

/** Returns the fields of `from` that `like` also has, at every depth. */
function pick(from: unknown, like: Fields): Fields {
  const one = (said: unknown, wanted: unknown): unknown => {
    if (wanted === SOME) return Object(said).length > 0 ? SOME : said;
    return typeof wanted === 'object' && wanted !== null ? pick(said, { ...wanted }) : (said ?? undefined);
  };
  return Object.fromEntries(Object.entries(like).map(([name, wanted]) => [name, one(memberOf(from, name), wanted)]));
}

interface Caller {
  readonly api: Api;
  readonly path: string;
  readonly token: string;
  /** The key of a file, which is uploaded and converted once. */
  keyOf(file: keyof typeof FILES): Promise<string>;
}

function aCaller(gateway: Pick<RealGateway, 'node'>, api: Api, token: string, path: string): Caller {
  const keys = new Map<string, Promise<string>>();
  const uploaded = async (file: keyof typeof FILES): Promise<string> =>
    (await upload(gateway, { tokens: { token } }, await FILES[file](), 'a file')).body.key;
  const keyOf = (file: keyof typeof FILES): Promise<string> => {
    const key = keys.get(file) ?? uploaded(file);
    keys.set(file, key);
    return key;
  };
  return { api, path, token, keyOf };
}

/** Sends a message, and returns its log entry once it was sent. */
async function sends(
  gateway: { until: Awaited<ReturnType<typeof aGateway>>['until'] },
  { api, path, keyOf }: Caller,
  { file, fields, ignores }: Sent,
): Promise<Fields & { readonly wa_message_id: string }> {
  const given = file && { type: file, media_r2_key: await keyOf(file) };
  const { status, body } = await api('POST', `${path}/messages`, { chat_id: ANNA, ...given, ...fields });
  assert.equal(status, 202, JSON.stringify(body));
  const ignored = (body.warnings ?? []).filter(({ code }: { code: string }) => code === 'FIELD_IGNORED');
  assert.equal(ignored.length, ignores === undefined ? 0 : 1);
  if (ignores !== undefined) assert.ok(ignored[0].message.startsWith(ignores), ignored[0].message);
  return gateway.until('it has left', async () => {
    const entry = (await api('GET', `${path}/messages/${body.id}`)).body;
    return entry.wa_message_id && entry;
  });
}

async function aRealShop(t: Scope, kind: StoreKind) {
  const gateway = await aRealGateway(t, kind);
  trustFilesOf(gateway.peer, t);
  const token = await gateway.signUp(OWNER);
  const api = gateway.as(token);
  const path = await gateway.linked(api, PHONE);
  return { gateway, caller: aCaller(gateway, api, token, path) };
}

eachStore('a message of each media type', (kind) => {
  it('is shown on sandbox phones with the right type', async (t) => {
    const gateway = await aGateway(t, { kind });
    const acme = await gateway.signUp();
    const device = await acme.linked(PHONE);
    const caller = aCaller(gateway, acme.api, acme.tokens.token, device.path);
    for (const [name, sent] of Object.entries(SENT)) {
      const { wa_message_id: id, media } = await sends(gateway, caller, sent);
      const shown = await gateway.until(name, () =>
        sandboxVerbs(gateway.sandbox)
          .messages(ANNA)
          .messages.find((one) => one.id === id),
      );
      assert.deepEqual(pick({ ...shown }, sent.shows), sent.shows, name);
      const marks = Object.fromEntries(Object.entries(sent.shows).filter(([field]) => MARKS.has(field)));
      assert.deepEqual(pick(media, marks), marks, name);
    }
  });

  const title = "has the wire format of the network's own apps, also in an album and as a profile, group or channel picture";
  if (kind.name === embedded.name) it(title, (t) => overTheRealDriver(t, kind));
  else atNight(`a message of each media type (${kind.name}) ${title}`, () => void it(title, (t) => overTheRealDriver(t, kind)));
});

/** File fields that have the same names in a log entry and on a sandbox phone. */
const MARKS: ReadonlySet<string> = new Set(['seconds', 'gif', 'round', 'view_once', 'hd', 'voice_note', 'pages']);

async function overTheRealDriver(t: Scope, kind: StoreKind): Promise<void> {
  const { gateway, caller } = await aRealShop(t, kind);
  const anna = gateway.peer.contact(ANNA);
  for (const [name, sent] of Object.entries(SENT)) {
    const { wa_message_id: id } = await sends(gateway, caller, sent);
    await gateway.until(name, () => anna.shows().some(({ netId }) => netId === id));
    const { message } = anna.shown(id);
    const [field, says] = sent.wire;
    const found = memberOf({ ...message, ...message.viewOnceMessageV2Extension?.message }, field);
    assert.deepEqual(pick(found, says), says, `${name}: ${Object.keys(message)}`);
  }
  const key = await caller.keyOf('image');
  const media = [{ media_r2_key: key, caption: 'first' }, { media_r2_key: key }];
  const { status, body } = await caller.api('POST', `${caller.path}/messages/album`, { chat_id: ANNA, media });
  assert.equal(status, 202, JSON.stringify(body));
  const parts = () => anna.shows().filter(({ message }) => message.messageContextInfo?.messageAssociation?.associationType === 1);
  await gateway.until('the album is there', () => parts().length === media.length);
  const albums = anna.shows().filter(({ message }) => message.albumMessage?.expectedImageCount === media.length);
  for (const { message } of parts())
    assert.deepEqual(
      albums.map(({ netId }) => netId),
      [message.messageContextInfo?.messageAssociation?.parentMessageKey?.id],
    );
  await whileUploadsAreRefused(gateway, caller);
  await picturesOfItself(gateway, caller);
  assert.deepEqual(gateway.peer.journal.events('violation'), []);
}

/** The real driver keeps a message while its upload is refused. `upload-refused.test.ts` tests this on the sandbox. */
async function whileUploadsAreRefused(gateway: RealGateway, { api, path, keyOf }: Caller): Promise<void> {
  const { peer, clock, until } = gateway;
  const key = await keyOf('other');
  peer.media.refuseUploads(503);
  const { id } = (await api('POST', `${path}/messages`, { chat_id: ANNA, type: 'image', media_r2_key: key })).body;
  await api('POST', `${path}/messages`, { chat_id: ANNA, type: 'text', body: 'goes on' });
  const shows = () => peer.contact(ANNA).shows();
  await until('the text arrived', () => shows().some(({ message }) => message.conversation === 'goes on'));
  const pictures = () => shows().filter(({ message }) => message.imageMessage?.width === 61).length;
  await clock.advance(60_000);
  assert.deepEqual([pictures(), (await api('GET', `${path}/messages/${id}`)).body.status], [0, 'queued']);
  peer.media.refuseUploads(null);
  await until('the picture arrived', () => pictures() > 0);
  await clock.advance(60_000);
  assert.equal(pictures(), 1);
}

/** Pictures whose upper left quarter is white. Each is in a format that the network rejects. */
const corner = (width: number, height: number) =>
  plain(width, height, 'red').composite([
    { input: { create: { width: width / 2, height: height / 2, channels: 3, background: 'white' } }, left: 0, top: 0 },
  ]);

async function expectScaled(what: string, picture: Buffer | null): Promise<void> {
  const { format, width, height, exif, orientation } = await sharp(present(picture, what)).metadata();
  assert.deepEqual([format, width, height, exif, orientation], ['jpeg', 640, 640, undefined, undefined], what);
  const { data, info } = await sharp(present(picture, what)).raw().toBuffer({ resolveWithObject: true });
  const greenAt = (x: number, y: number): boolean => (data[(y * info.width + x) * info.channels + 1] ?? 0) > 127;
  assert.deepEqual([greenAt(160, 160), greenAt(480, 160), greenAt(160, 480)], [true, false, false], what);
}

/** The peer rejects any bytes that are not a JPEG. */
async function picturesOfItself(gateway: RealGateway, { api, path, token }: Caller): Promise<void> {
  const { peer, node } = gateway;
  const during = async <T>(work: Promise<T>): Promise<T> => {
    let isOver = false;
    const over = () => {
      isOver = true;
    };
    work.then(over, over);
    await gateway.until('the network answered', () => isOver);
    return work;
  };
  const ask = (method: string, rest: string, body?: unknown) => during(api(method, `${path}/${rest}`, body));
  const key = async (file: Buffer): Promise<string> => (await upload(gateway, { tokens: { token } }, file, 'a picture')).body.key;

  // Turned by its metadata, the white quarter is in the upper left corner.
  const upright = await corner(900, 400).png().toBuffer();
  const turned = await sharp(upright).rotate(270).png().withMetadata({ orientation: 6 }).toBuffer();
  const put = await during(
    fetch(`${node.url}${path}/account/picture`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'image/png' },
      body: new Uint8Array(turned),
    }),
  );
  assert.equal(put.status, 200, await put.text());
  await expectScaled('the profile picture', peer.phone(PHONE).app.picture);

  const group = peer.group([PHONE, ANNA]);
  const webp = await key(await corner(300, 500).webp().toBuffer());
  const { status, body } = await ask('PUT', `groups/${group.jid}/picture`, { media_r2_key: webp });
  assert.equal(status, 200, JSON.stringify(body));
  await expectScaled('the group picture', group.picture);

  const gif = await key(await corner(80, 60).gif().toBuffer());
  const made = await ask('POST', 'channels', { name: 'News', description: '', picture: gif });
  assert.equal(made.status, 201, JSON.stringify(made.body));
  const channel = present(peer.channels.get(made.body.id), 'the channel');
  await expectScaled('the channel picture', channel.picture);
  channel.picture = null;
  for (const [what, file] of [
    ['TIFF', corner(700, 700).tiff()],
    ['AVIF', corner(64, 64).avif({ effort: 0 })],
  ] as const) {
    const changed = await ask('PATCH', `channels/${channel.id}`, { picture: await key(await file.toBuffer()) });
    assert.equal(changed.status, 200, JSON.stringify(changed.body));
    await expectScaled(`the channel picture from a ${what}`, channel.picture);
    channel.picture = null;
  }
  const refused = await ask('PATCH', `channels/${channel.id}`, { picture: await key(Buffer.from('%PDF-1.4\n')) });
  assert.deepEqual([refused.status, refused.body.details?.[0]?.path, channel.picture], [400, 'picture', null]);
}
