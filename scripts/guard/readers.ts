import { deflateSync, inflateSync } from 'node:zlib';
import { readContent } from '../../actors/network/whatsapp/inbound/read-content.ts';
import { decode, encode } from '../../actors/network/whatsapp/keys/codec.ts';
import { loadLibrary } from '../../actors/network/whatsapp/library.ts';
import { fieldsOf, written } from '../../actors/network/whatsapp/libsignal/record.ts';
import { infoOf } from '../../actors/network/whatsapp/libsignal/session.ts';
import { decodeNode } from '../../actors/network/whatsapp/session/decode-node.ts';
import { encodeBinaryNode } from '../../actors/network/whatsapp/session/encode-node.ts';
import { decoded } from '../../actors/services/ai-reply/reading/texts.ts';
import { filesInZip } from '../../actors/services/archives/zip.ts';
import { readRows } from '../../actors/services/contacts/import/read-rows.ts';
import { typeOf } from '../../actors/services/media/types.ts';
import { createTokens } from '../../http/auth/tokens.ts';
import { parseJson } from '../../http/core/body.ts';
import { cookieIn } from '../../http/core/cookies.ts';
import { systemClock } from '../../runtime/clock.ts';
import { BusSeal } from '../../runtime/cluster/bus-seal.ts';
import { seal, unseal } from '../../runtime/cluster/envelope.ts';
import { secretKeysOf } from '../../runtime/sealing/keys.ts';
import { createSealer } from '../../runtime/sealing/seal.ts';
import { aDocx, anXlsx } from '../../test/actors/services/ai-reply/reading/files.ts';
import { hostileMedia } from './inputs/files.ts';
import { mediaReaders, type Reader } from './media-readers.ts';

const SECRET = 'the readers of the stall guard are tried with this';

export async function readers(): Promise<Readonly<Record<string, Reader>>> {
  const library = await loadLibrary();
  const { proto } = library;
  const bus = new BusSeal(SECRET, systemClock);
  const sealer = createSealer(secretKeysOf(null, [], SECRET));
  const tokens = createTokens(SECRET);
  const token = await tokens.issue({ tenantId: 't', role: 'admin', agentId: 'a', family: 'f' }, systemClock.now());
  const text = (one: string): Buffer => Buffer.from(one);
  return {
    'types of files': { valid: hostileMedia().map((file) => file.make().subarray(0, 4_096)), read: (bytes) => typeOf(bytes, 'a.txt') },
    stanzas: { valid: STANZAS.map((stanza) => encodeBinaryNode(stanza).subarray(1)), read: decodeNode },
    'packed stanzas': {
      valid: STANZAS.map((stanza) => deflateSync(encodeBinaryNode(stanza).subarray(1))),
      read: (bytes) => decodeNode(inflateSync(bytes, { maxOutputLength: 64 * 1_048_576 })),
    },
    messages: {
      valid: MESSAGES.map((message) => Buffer.from(proto.Message.encode(proto.Message.fromObject(message)).finish())),
      read: (bytes) => readContent(library, proto.Message.decode(bytes)),
    },
    histories: {
      valid: [Buffer.from(proto.HistorySync.encode(proto.HistorySync.fromObject(HISTORY)).finish())],
      read: (bytes) => proto.HistorySync.decode(bytes),
    },
    'records of sessions': {
      valid: [Buffer.from(written([1, written([2, Buffer.alloc(33)], [4, 7])], [2, Buffer.alloc(9)]))],
      read: fieldsOf,
    },
    'sessions of others': { valid: [Buffer.from(written([1, written([2, Buffer.alloc(33)], [13, Buffer.alloc(33)])]))], read: infoOf },
    'kept secrets': {
      valid: [text(encode('session', Buffer.alloc(300, 7))), text(encode('app-state-sync-key', { keyData: Buffer.alloc(32), n: [1, 2] }))],
      read: (bytes) => [decode('session', bytes.toString()), decode('app-state-sync-key', bytes.toString())],
    },
    envelopes: {
      valid: [text(seal({ t: 'ask', n: 1, from: 'a', back: 'to:a/b', body: { do: 'take', kind: 'device', id: 'x' } }))],
      read: (bytes) => unseal(bytes.toString()),
    },
    'sealed envelopes': { valid: [text(bus.seal('all:x', 'x'.repeat(500)))], read: (bytes) => bus.open('all:x', bytes.toString()) },
    'sealed secrets': { valid: [text(sealer.seal('g', 'a', 'x'.repeat(500)))], read: (bytes) => sealer.open('g', 'a', bytes.toString()) },
    'directories of zip files': { valid: [aDocx('a', ['b']), anXlsx([['a', 'b']])], read: filesInZip },
    encodings: { valid: [text('Höhe'), Buffer.from('\ufeffHöhe', 'utf16le'), Buffer.from('H\xf6he', 'latin1')], read: decoded },
    'lists of contacts': {
      valid: [text('phone,name\n+6281211110001,"Sari, S."\r\n0812 1111 0002;x\n')],
      read: (bytes) => readRows({ ...CSV, bytes }),
    },
    tokens: { valid: [text(token)], read: (bytes) => tokens.read(bytes.toString(), systemClock.now()) },
    'refresh tokens': { valid: [text(tokens.refreshToken('f'))], read: (bytes) => tokens.familyOf(bytes.toString()) },
    cookies: { valid: [text('a=b; session=abc; c="d"')], read: (bytes) => cookieIn(bytes.toString('latin1'), 'session') },
    ...mediaReaders(),
    'bodies of JSON': {
      valid: [text(JSON.stringify({ a: [{ b: 'x' }, 1e9, null, true], c: { d: { e: '\u0301' } } }))],
      read: (bytes) => parseJson(bytes),
    },
  };
}

const TARGET = '6281211110001@s.whatsapp.net';
const STANZAS = [
  {
    tag: 'message',
    attrs: { from: TARGET, id: 'ABCDEF0123456789', t: '1700000000', type: 'text' },
    content: [{ tag: 'enc', attrs: { v: '2' }, content: Buffer.alloc(200, 7) }],
  },
  {
    tag: 'iq',
    attrs: { id: '12.3-45', type: 'result' },
    content: Array.from({ length: 50 }, (_, nth) => ({ tag: 'user', attrs: { jid: TARGET, n: String(nth) } })),
  },
];
const MESSAGES = [
  { conversation: 'Hi' },
  { extendedTextMessage: { text: 'Hi', contextInfo: { stanzaId: 'A', participant: TARGET, mentionedJid: [TARGET, TARGET] } } },
  { imageMessage: { url: 'https://a.example', mimetype: 'image/jpeg', caption: 'x', mediaKey: Buffer.alloc(32), fileLength: 9 } },
  { contactMessage: { displayName: 'A', vcard: 'BEGIN:VCARD\nFN:A\nTEL;waid=6281211110001:+62 812\nEND:VCARD' } },
  { pollCreationMessage: { name: 'Q', options: [{ optionName: 'a' }, { optionName: 'b' }], selectableOptionsCount: 1 } },
  { locationMessage: { degreesLatitude: 1, degreesLongitude: 2 } },
  { ephemeralMessage: { message: { viewOnceMessage: { message: { imageMessage: { caption: 'x' } } } } } },
];
const HISTORY = {
  syncType: 0,
  conversations: [
    { id: TARGET, messages: [{ message: { key: { remoteJid: TARGET, id: 'A' }, message: { conversation: 'Hi' }, messageTimestamp: 1 } }] },
  ],
  pushnames: [{ id: TARGET, pushname: 'A' }],
};
const CSV = {
  ...{ isLast: true, isLongest: false, line: 1, callingCode: '62', optIn: false },
  form: { kind: 'csv', encoding: 'utf-8', delimiter: ',', columns: ['phone', 'name'] },
} as const;
