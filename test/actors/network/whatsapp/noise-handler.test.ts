import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { describe, it } from 'node:test';
import { deflateSync } from 'node:zlib';
import type { BinaryNode, WASocket } from '@whiskeysockets/baileys';
import { NOISE_MODE } from '@whiskeysockets/baileys/lib/Defaults/index.js';
import { aesEncryptGCM, hkdf } from '@whiskeysockets/baileys/lib/Utils/crypto.js';
import { encodeBinaryNode } from '@whiskeysockets/baileys/lib/WABinary/encode.js';
import { pino } from 'pino';
import { makeNoiseHandler, withFrames } from '../../../../actors/network/whatsapp/session/noise-handler.ts';

const LARGE = 40_000;
const stanza = (id: string, tag = 'iq'): BinaryNode => ({ tag, attrs: { id } });

describe('incoming frames', () => {
  it('are read in order, no matter how they are split', async () => {
    const { network, device, ids } = await connected();
    const bytes = Buffer.concat(['1', '2', '3'].map((id) => network(stanza(id))));
    for (const byte of bytes) await device.decodeFrame(Buffer.of(byte), ids.add);
    assert.deepEqual(ids.all, ['1', '2', '3']);
    await device.decodeFrame(Buffer.concat([network(stanza('4')), network(stanza('5'))]), ids.add);
    assert.deepEqual(ids.all, ['1', '2', '3', '4', '5']);
  });

  it('keep their order while a large one is decompressed', async () => {
    const { network, device, ids } = await connected();
    const large = { tag: 'iq', attrs: { id: 'large' }, content: randomBytes(LARGE) };
    const first = device.decodeFrame(Buffer.concat([network(stanza('small'), true), network(large, true), network(stanza('1'))]), ids.add);
    const second = device.decodeFrame(network(stanza('2')), ids.add);
    assert.deepEqual(ids.all, ['small']);
    await Promise.all([first, second]);
    await device.decodeFrame(network(stanza('3')), ids.add);
    assert.deepEqual(ids.all, ['small', 'large', '1', '2', '3']);
  });

  it('are rejected if they are invalid or modified, without affecting later ones', async () => {
    const { network, seal, device, ids } = await connected();
    const changed = network(stanza('changed'));
    changed[changed.length - 1]! ^= 1;
    const broken = seal(Buffer.of(0, 255, 255));
    await assert.rejects(device.decodeFrame(Buffer.concat([changed, broken, network(stanza('1'))]), ids.add));
    const brokenLarge = seal(Buffer.concat([Buffer.of(2), randomBytes(LARGE)]));
    await assert.rejects(device.decodeFrame(Buffer.concat([brokenLarge, network(stanza('2'))]), ids.add));
    assert.deepEqual(ids.all, ['1', '2']);
  });

  it('reach the handler for their type, and tell the library from time to time that the connection is alive', async () => {
    const { network, device, ids, frames } = await connected();
    const taken: string[] = [];
    frames.take({ isOurs: ({ tag }) => tag === 'receipt', receive: ({ attrs: { id = '' } }) => taken.push(id) });
    for (let nth = 1; nth <= 40; nth += 1) await device.decodeFrame(network(stanza(String(nth), 'receipt')), ids.add);
    await device.decodeFrame(network(stanza('an answer')), ids.add);
    assert.equal(taken.length, 40);
    assert.deepEqual(ids.all, ['', '', 'an answer']);
  });

  it("are read by our own handler instead of the library's", () => {
    const program = `
      const { loadLibrary } = await import('./actors/network/whatsapp/library.ts');
      const library = await loadLibrary();
      const { makeNoiseHandler } = await import('./actors/network/whatsapp/session/noise-handler.ts');
      console.log(library.makeNoiseHandler === makeNoiseHandler);`;
    assert.equal(execFileSync(process.execPath, ['--input-type=module', '--eval', program], { encoding: 'utf8' }), 'true\n');
  });

  it('bypass the library only if no other frame is waiting and the socket is open', async () => {
    const ack = stanza('1', 'ack');
    for (const [headers, isOpen, way] of [
      [{}, true, 'connection'],
      [{ 'sec-websocket-extensions': 'permessage-deflate' }, true, 'library'],
      [{}, false, null],
    ] as const) {
      const { frames } = await connected();
      const ways: string[] = [];
      const ws = { isOpen, send: () => ways.push('library') };
      frames.writeTo({ socket: { write: () => ways.push('connection') }, headers } as unknown as IncomingMessage);
      frames.write({ ws } as unknown as WASocket, ack);
      assert.deepEqual(ways, way === null ? [] : [way]);
    }
  });

  it('are passed on unchanged before the handshake completes', async () => {
    const { frames } = withFrames(() => makeNoiseHandler(options()));
    const given: unknown[] = [];
    await frames.handler.decodeFrame(Buffer.of(0, 0, 2, 7, 8, 0), (frame) => void given.push(frame));
    assert.deepEqual(given, [Buffer.of(7, 8)]);
  });

  it('have one handler per socket, which is set when the socket is created', () => {
    const one = withFrames(() => makeNoiseHandler(options()));
    assert.equal(one.socket, one.frames.handler);
    assert.throws(() => withFrames(() => 'no socket'), /not create a frame handler/);
  });

  it('do not keep a buffer pool alive, because each socket has its own buffers', () => {
    const { socket: made } = withFrames(() => {
      makeNoiseHandler(options());
      return Buffer.from('a key');
    });
    assert.equal(made.buffer.byteLength, made.length);
    assert.throws(() => withFrames(() => assert.fail('no socket')));
    assert.ok(Buffer.from('a key').buffer.byteLength > 'a key'.length, 'others are cut from pools');
  });
});

const NOTHING = Buffer.alloc(0);

const options = () => ({
  keyPair: { public: Buffer.alloc(32, 1), private: Buffer.alloc(32, 2) },
  NOISE_HEADER: Buffer.from('WA'),
  logger: pino({ level: 'silent' }),
});

/** A device after a handshake in which no secret was exchanged, and a network that writes to it. */
async function connected() {
  const { frames } = withFrames(() => makeNoiseHandler(options()));
  const device = frames.handler;
  await device.finishInit();
  const key = Buffer.from(hkdf(NOTHING, 64, { salt: Buffer.from(NOISE_MODE), info: '' })).subarray(32);
  let sealed = 0;
  const seal = (plain: Uint8Array): Buffer => {
    const iv = Buffer.alloc(12);
    iv.writeUInt32BE(sealed, 8);
    sealed += 1;
    const frame = aesEncryptGCM(plain, key, iv, NOTHING);
    return Buffer.concat([Buffer.of(frame.length >> 16, frame.length >> 8, frame.length), frame]);
  };
  const network = (node: BinaryNode, isCompressed = false): Buffer => {
    const plain = encodeBinaryNode(node);
    return seal(isCompressed ? Buffer.concat([Buffer.of(2), deflateSync(plain.subarray(1))]) : plain);
  };
  const all: string[] = [];
  const add = (frame: BinaryNode | Uint8Array): void => void all.push('attrs' in frame ? (frame.attrs['id'] ?? '') : 'bytes');
  return { device, frames, network, seal, ids: { all, add } };
}
