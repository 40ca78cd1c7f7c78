import { deflateSync } from 'node:zlib';
import type { proto } from '@whiskeysockets/baileys';
import { forAtMost, pause, systemClock } from '../../../runtime/clock.ts';
import type { Random } from '../../../runtime/random.ts';
import { el, jidOf, SERVER, type Stanza } from '../../../test/network-peer/stanza.ts';
import { encodeStanza } from '../../../test/network-peer/wire/codec.ts';
import { until } from '../../faults/processes.ts';
import type { Ground } from '../ground.ts';
import { mutated } from '../inputs/mutations.ts';
import { HOSTILE_TEXTS } from '../inputs/texts.ts';
import type { Case } from '../judge.ts';
import type { PeerNetwork } from '../peer-network.ts';

type Message = proto.IMessage;

const LONGEST_TEXT = 65_536;
const LARGE = 1_000_000;
const LONGEST_TITLE = 10_000;
const LARGE_LIST = 300_000;
const MANY = 5_000;
const READ_WITHIN_MS = 2_000;
const SETTLE_MS = 400;
const ANSWERED_WITHIN_MS = 2_000;
const STRANGERS = 20;
const KIND_OF_COMPRESSED = Buffer.of(2);
const KIND_OF_PLAIN = Buffer.of(0);

export function* wireCases(network: PeerNetwork, frames: number, random: Random): Generator<Case> {
  for (const [kind, build] of Object.entries(MESSAGES)) yield* messageCases(network, kind, build);
  for (const [act, run] of Object.entries(LIFE))
    for (const [how, swell] of Object.entries(SWELLINGS)) yield swollen(network, { act, run, how, swell });
  for (const [title, bytes] of Object.entries(FRAMES)) yield frameCase(network, title, bytes());
  const valid = Buffer.concat([KIND_OF_PLAIN, encodeStanza(everydayStanza())]);
  for (let nth = 0; nth < frames; nth += MUTATIONS_AT_ONCE) yield mutationsCase(network, valid, random, nth);
}

type Builder = (text: string, many: readonly string[]) => Message;

const file = (text: string) => ({
  url: `https://mmg.whatsapp.net/${text.slice(0, 2_000)}`,
  directPath: `/${text.slice(0, 2_000)}`,
  mimetype: text,
  mediaKey: Buffer.alloc(32),
  fileSha256: Buffer.alloc(LARGE / 10),
  jpegThumbnail: Buffer.alloc(LARGE / 2),
});

const nested = (depth: number, inside: Message): Message => {
  let message = inside;
  for (let left = depth; left > 0; left -= 1) message = { ephemeralMessage: { message } };
  return message;
};

const MESSAGES: Readonly<Record<string, Builder>> = {
  text: (text) => ({ conversation: text }),
  'text that names and quotes': (text, many) => ({
    extendedTextMessage: {
      ...{
        text,
        title: text.slice(0, LONGEST_TITLE),
        description: text.slice(0, LONGEST_TITLE),
        matchedText: text.slice(0, LONGEST_TITLE),
      },
      contextInfo: {
        stanzaId: text,
        participant: text,
        mentionedJid: many.map((_, nth) => jidOf(`62812${nth}`, SERVER)),
        quotedMessage: nested(100, { conversation: text }),
      },
    },
  }),
  picture: (text) => ({ imageMessage: { ...file(text), caption: text } }),
  document: (text) => ({ documentMessage: { ...file(text), fileName: text, title: text } }),
  'voice message': (text) => ({ audioMessage: { ...file(text), waveform: Buffer.alloc(LARGE), ptt: true } }),
  card: (text) => ({ contactMessage: { displayName: text, vcard: `BEGIN:VCARD\n${'TEL;waid='.repeat(20_000)}${text}` } }),
  cards: (text, many) => ({ contactsArrayMessage: { displayName: text, contacts: many.map((vcard) => ({ displayName: vcard, vcard })) } }),
  place: (text) => ({ locationMessage: { degreesLatitude: 1e308, degreesLongitude: Number.NaN, name: text, address: text, url: text } }),
  poll: (text, many) => ({ pollCreationMessage: { name: text, options: many.map((optionName) => ({ optionName })) } }),
  vote: (text) => ({
    pollUpdateMessage: {
      pollCreationMessageKey: { id: text, remoteJid: text },
      vote: { encPayload: Buffer.alloc(LARGE), encIv: Buffer.alloc(12) },
    },
  }),
  reaction: (text) => ({ reactionMessage: { key: { id: text, remoteJid: text }, text } }),
  edit: (text) => ({ protocolMessage: { type: 14, key: { id: 'X', remoteJid: text }, editedMessage: { conversation: text } } }),
  deletion: (text) => ({ protocolMessage: { type: 0, key: { id: text, remoteJid: text, participant: text } } }),
  list: (text, many) => ({
    listMessage: { title: text, description: text, sections: [{ title: text, rows: many.map((title) => ({ title, rowId: title })) }] },
  }),
  choice: (text) => ({ listResponseMessage: { title: text, singleSelectReply: { selectedRowId: text } } }),
  form: (text) => ({
    interactiveResponseMessage: {
      body: { text },
      nativeFlowResponseMessage: { name: text, paramsJson: '['.repeat(LARGE / 2), version: 1 },
    },
  }),
  order: (text) => ({ orderMessage: { orderId: text, message: text, orderTitle: text, sellerJid: text, token: text } }),
  'message in messages': (text) => nested(2_000, { conversation: text.slice(0, 1_000) }),
  'key of a group': (text) => ({
    senderKeyDistributionMessage: { groupId: text, axolotlSenderKeyDistributionMessage: Buffer.alloc(LARGE) },
  }),
};

function* messageCases(network: PeerNetwork, kind: string, build: Builder): Generator<Case> {
  for (const { title, of } of HOSTILE_TEXTS)
    yield {
      kinds: [`message of a person: ${kind}`],
      title: `on the wire, ${kind}: ${title}`,
      bytes: LARGE,
      attack: (ground) => {
        const short = of(Math.floor(LONGEST_TEXT / MANY));
        const many = Array.from({ length: MANY }, () => short);
        return writes(network, ground, build(of(LONGEST_TEXT), many));
      },
    };
}

let written = 0;

/** Returns a new sender each time, so that no sender reaches the message limit. */
const stranger = (): string => {
  written += 1;
  return `62813000${String(written % STRANGERS).padStart(5, '0')}`;
};

async function writes(network: PeerNetwork, { device }: Ground, message: Message): Promise<void> {
  await network.line(device.phone);
  const person = network.peer.phone(stranger());
  const id = await person.writes(device.phone, message);
  await until(READ_WITHIN_MS, async () => person.told(id).length > 0);
  network.forgetWaiting(device.phone);
}

interface Swelling {
  readonly act: string;
  readonly run: (network: PeerNetwork, ground: Ground) => Promise<unknown>;
  readonly how: string;
  readonly swell: (stanza: Stanza) => Stanza;
}

const swollen = (network: PeerNetwork, { act, run, how, swell }: Swelling): Case => ({
  kinds: [`stanzas ${how}`],
  title: `on the wire, ${act}: stanzas ${how}`,
  bytes: LARGE,
  isSlow: true,
  attack: async (ground) => {
    const { phone } = ground.device;
    await network.line(phone);
    await network.swelling(
      phone,
      (stanza) => (LEFT_ALONE.has(stanza.tag) ? null : swell(stanza)),
      () => run(network, ground),
      SETTLE_MS,
    );
  },
});

/** Stanzas that open or close a connection are not changed, so that the others can be tested. */
const LEFT_ALONE: ReadonlySet<string> = new Set(['success', 'failure', 'stream:error', 'xmlstreamend']);

const call = (method: string, path: string, body?: object) => (_network: PeerNetwork, ground: Ground) =>
  forAtMost(systemClock, ANSWERED_WITHIN_MS, ground.api(method, `${ground.device.path}${path}`, body));

let people = 0;
const somebodyNew = (): string => {
  people += 1;
  return `62814${String(systemClock.now() % 10_000).padStart(4, '0')}${String(people % 10_000).padStart(4, '0')}`;
};

const LIFE: Readonly<Record<string, Swelling['run']>> = {
  'somebody writes': ({ peer }, { device }) => peer.phone(stranger()).writes(device.phone, 'Hi'),
  'somebody calls': async ({ peer }, { device }) => peer.phone(stranger()).calls(device.phone),
  'somebody writes in a group': async ({ peer }, { device }) => {
    const [author, other] = [stranger(), stranger()];
    await peer.phone(author).writes(peer.group([device.phone, author, other]).jid, 'Hi');
  },
  'a group changes': async ({ peer }, { device }) => {
    const [owner, member] = [stranger(), stranger()];
    const group = peer.group([owner, device.phone]);
    peer.changesGroup(owner, group, { kind: 'subject', subject: 'Another' });
    peer.changesGroup(owner, group, { kind: 'add', members: [member] });
  },
  'our own phone sends its history': async ({ peer }, { device }) => peer.phone(device.phone).missesGroups(),
  'a text to somebody new': (network, ground) =>
    call('POST', '/messages', { chat_id: somebodyNew(), type: 'text', body: 'Hi' })(network, ground),
  'a text to a group': async (network, ground) =>
    call('POST', '/messages', { chat_id: network.peer.group([ground.device.phone, stranger()]).jid, type: 'text', body: 'Hi' })(
      network,
      ground,
    ),
  'a list of groups': call('GET', '/groups'),
  'a group that is looked at': async (network, ground) =>
    call('GET', `/groups/${network.peer.group([ground.device.phone, stranger()]).jid}`)(network, ground),
  'numbers that are checked': (network, ground) =>
    call('POST', '/validate', { phones: Array.from({ length: 20 }, somebodyNew) })(network, ground),
  'the blocklist': call('GET', '/blocklist'),
  'the profile': call('GET', '/profile'),
  'the privacy settings': call('GET', '/privacy'),
  'a picture of somebody': (network, ground) => call('GET', `/people/${stranger()}/picture`)(network, ground),
  'a business of somebody': (network, ground) => call('GET', `/people/${stranger()}/business`)(network, ground),
  channels: call('GET', '/channels'),
  labels: call('GET', '/labels'),
};

/** These attributes are kept, because the driver uses them to match responses to requests and people. */
const KEPT_ATTRIBUTES: ReadonlySet<string> = new Set(['id', 'from', 'to', 'type', 'xmlns', 'participant', 'class', 'jid']);
const LONG = 'a\u0315\u0300'.repeat(LONGEST_TEXT / 3);

const SWELLINGS: Readonly<Record<string, (stanza: Stanza) => Stanza>> = {
  'with lists of thousands': (stanza) => withChildren(stanza, (children) => many(children.map(SWELLINGS_INSIDE))),
  'with long attributes': (stanza) => everywhere(stanza, ({ attrs, ...rest }) => ({ ...rest, attrs: longAttributes(attrs) })),
  'with long contents': (stanza) =>
    everywhere(stanza, (one) => (Array.isArray(one.content) ? one : { ...one, content: Buffer.alloc(LARGE / 10, 'a\u0315\u0300') })),
  'with nothing inside': ({ tag, attrs }) => ({ tag, attrs }),
  'with unknown children': (stanza) => withChildren(stanza, (children) => [...many([el('unknown', { a: '1' })]), ...children]),
};

const SWELLINGS_INSIDE = (stanza: Stanza): Stanza => withChildren(stanza, many);

const withChildren = (stanza: Stanza, change: (children: readonly Stanza[]) => readonly Stanza[]): Stanza =>
  Array.isArray(stanza.content) && stanza.content.length > 0 ? { ...stanza, content: [...change(stanza.content)] } : stanza;

function many(children: readonly Stanza[]): readonly Stanza[] {
  const size = children.reduce((sum, child) => sum + encodeStanza(child).length, 0);
  const times = Math.max(1, Math.min(MANY, Math.floor(LARGE_LIST / Math.max(1, size))));
  return Array.from({ length: times }, () => children).flat();
}

function everywhere(stanza: Stanza, change: (stanza: Stanza) => Stanza): Stanza {
  const { content } = stanza;
  return change(Array.isArray(content) ? { ...stanza, content: content.map((child) => everywhere(child, change)) } : stanza);
}

const longAttributes = (attrs: Stanza['attrs']): Stanza['attrs'] =>
  Object.fromEntries(Object.entries(attrs).map(([name, value]) => [name, KEPT_ATTRIBUTES.has(name) ? value : LONG]));

const everydayStanza = (): Stanza =>
  el('notification', { from: jidOf('6281211110001', SERVER), type: 'devices', id: '3EB0GUARD', t: 1 }, [
    el('add', { device_hash: '2:abcdef' }, [el('device', { jid: jidOf('6281211110001', SERVER, 3), 'key-index': 3 })]),
  ]);

/** Type bytes: lists with 8-bit and 16-bit length, binary with 32-bit length, token, packed digits. */
const [LIST_8, LIST_16, BINARY_32, TOKEN, PACKED] = [248, 249, 254, 5, 255];
const DEPTH = 200_000;
const ZEROS = 64 * LARGE;

const FRAMES: Readonly<Record<string, () => Buffer>> = {
  'nothing at all': () => Buffer.alloc(0),
  'one byte': () => KIND_OF_PLAIN,
  'stanzas in stanzas': () =>
    Buffer.concat([
      KIND_OF_PLAIN,
      Buffer.concat(Array.from({ length: DEPTH }, () => Buffer.of(LIST_8, 2, TOKEN, LIST_8, 1))),
      Buffer.of(LIST_8, 1, TOKEN),
    ]),
  'a list that promises 65,535 stanzas': () =>
    Buffer.concat([KIND_OF_PLAIN, Buffer.of(LIST_8, 2, TOKEN, LIST_16, 255, 255, LIST_8, 1, TOKEN)]),
  'a binary that promises four gigabytes': () => Buffer.concat([KIND_OF_PLAIN, Buffer.of(LIST_8, 2, TOKEN, BINARY_32, 255, 255, 255, 255)]),
  'a million attributes': () => Buffer.concat([KIND_OF_PLAIN, Buffer.of(LIST_16, 255, 255, TOKEN), Buffer.alloc(65_534, TOKEN)]),
  'packed digits': () => Buffer.concat([KIND_OF_PLAIN, Buffer.of(LIST_8, 2, TOKEN, PACKED, 127), Buffer.alloc(127, 0x12)]),
  'a megabyte of zeros': () => Buffer.alloc(LARGE),
  'the longest frame': () => Buffer.alloc(15 * LARGE, LIST_8),
  'a bomb of zeros': () => Buffer.concat([KIND_OF_COMPRESSED, deflateSync(Buffer.alloc(ZEROS))]),
  'a bomb of stanzas': () =>
    Buffer.concat([
      KIND_OF_COMPRESSED,
      deflateSync(Buffer.concat(Array.from({ length: DEPTH }, () => Buffer.of(LIST_8, 2, TOKEN, LIST_8, 1)))),
    ]),
  'a bomb of ten thousand people': () => Buffer.concat([KIND_OF_COMPRESSED, deflateSync(encodeStanza(withManyDevices()))]),
  'what is not compressed': () => Buffer.concat([KIND_OF_COMPRESSED, Buffer.alloc(LARGE, 'x')]),
};

const withManyDevices = (): Stanza => SWELLINGS['with lists of thousands']?.(everydayStanza()) ?? everydayStanza();

const frameCase = (network: PeerNetwork, title: string, bytes: Buffer): Case => ({
  kinds: [`frame of ${title}`],
  title: `on the wire, a frame: ${title}`,
  bytes: bytes.length,
  isSlow: true,
  attack: async ({ device }) => {
    (await network.line(device.phone)).sendBytes(bytes);
    await pause(systemClock, SETTLE_MS);
  },
});

const MUTATIONS_AT_ONCE = 100;

const mutationsCase = (network: PeerNetwork, valid: Buffer, random: Random, first: number): Case => ({
  kinds: ['frame of mutations'],
  title: `on the wire, mutations of a frame from ${first}`,
  bytes: MUTATIONS_AT_ONCE * valid.length,
  isSlow: true,
  attack: async ({ device }) => {
    const line = await network.line(device.phone);
    for (let nth = 0; nth < MUTATIONS_AT_ONCE; nth += 1) line.sendBytes(mutated(valid, random));
    await pause(systemClock, SETTLE_MS);
  },
});
