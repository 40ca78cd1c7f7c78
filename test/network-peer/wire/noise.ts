import { createCipheriv, createDecipheriv, createHash, hkdfSync } from 'node:crypto';
import { proto } from '@whiskeysockets/baileys';
import { agree, type KeyPair } from '../curve.ts';
import type { Authority } from './authority.ts';

const PROTOCOL = Buffer.from('Noise_XX_25519_AESGCM_SHA256\0\0\0\0');
const NOTHING = Buffer.alloc(0);
const TAG_BYTES = 16;

/** A key for one direction, with a counter as nonce. */
class Cipher {
  readonly #key: Buffer;
  #count = 0;

  constructor(key: Buffer) {
    this.#key = key;
  }

  seal(plain: Uint8Array, context: Uint8Array): Buffer {
    const cipher = createCipheriv('aes-256-gcm', this.#key, this.#nonce());
    cipher.setAAD(context);
    return Buffer.concat([cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
  }

  open(sealed: Uint8Array, context: Uint8Array): Buffer {
    const decipher = createDecipheriv('aes-256-gcm', this.#key, this.#nonce());
    decipher.setAAD(context);
    decipher.setAuthTag(sealed.subarray(-TAG_BYTES));
    return Buffer.concat([decipher.update(sealed.subarray(0, -TAG_BYTES)), decipher.final()]);
  }

  #nonce(): Buffer {
    const nonce = Buffer.alloc(12);
    nonce.writeUInt32BE(this.#count, 8);
    this.#count += 1;
    return nonce;
  }
}

/** The client's report about itself after the handshake. */
export interface Introduction {
  readonly payload: proto.IClientPayload;
  /** The client's static key, which identifies its login. */
  readonly key: Buffer;
}

/**
 * The server's side of Noise XX with the network's framing, on node:crypto and independent of the client library. Its
 * messages: `<- e`, `-> e, ee, s, es, certificate`, `<- s, se, payload`.
 */
export class NoiseResponder {
  readonly #authority: Authority;
  readonly #ephemeral: KeyPair;
  #hash: Buffer = PROTOCOL;
  #chaining: Buffer = PROTOCOL;
  #handshake = new Cipher(PROTOCOL);
  #up: Cipher | null = null;
  #down: Cipher | null = null;

  /** `intro`: the first four bytes from the client. */
  constructor(authority: Authority, ephemeral: KeyPair, intro: Uint8Array) {
    this.#authority = authority;
    this.#ephemeral = ephemeral;
    this.#mixHash(intro);
  }

  get isOpen(): boolean {
    return this.#up !== null;
  }

  /** Answers the first frame. */
  greet(frame: Uint8Array): Buffer {
    const theirs = Buffer.from(proto.HandshakeMessage.decode(frame).clientHello?.ephemeral ?? NOTHING);
    this.#mixHash(theirs);
    this.#mixHash(this.#ephemeral.public);
    this.#mixKey(agree(this.#ephemeral.private, theirs));
    const own = this.#seal(this.#authority.server.public);
    this.#mixKey(agree(this.#authority.server.private, theirs));
    const payload = this.#seal(this.#authority.chain);
    const serverHello = { ephemeral: this.#ephemeral.public, static: own, payload };
    return Buffer.from(proto.HandshakeMessage.encode({ serverHello }).finish());
  }

  /** Reads the second frame. After it, both sides exchange stanzas. */
  finish(frame: Uint8Array): Introduction {
    const { clientFinish } = proto.HandshakeMessage.decode(frame);
    const key = this.#open(clientFinish?.static ?? NOTHING);
    this.#mixKey(agree(this.#ephemeral.private, key));
    const payload = proto.ClientPayload.decode(this.#open(clientFinish?.payload ?? NOTHING));
    const keys = this.#derive(NOTHING);
    this.#up = new Cipher(keys.subarray(0, 32));
    this.#down = new Cipher(keys.subarray(32));
    return { payload, key };
  }

  read(frame: Uint8Array): Buffer {
    return this.#up!.open(frame, NOTHING);
  }

  write(plain: Uint8Array): Buffer {
    return this.#down!.seal(plain, NOTHING);
  }

  #mixHash(data: Uint8Array): void {
    this.#hash = createHash('sha256').update(this.#hash).update(data).digest();
  }

  #derive(input: Uint8Array): Buffer {
    return Buffer.from(hkdfSync('sha256', input, this.#chaining, '', 64));
  }

  #mixKey(input: Uint8Array): void {
    const keys = this.#derive(input);
    this.#chaining = keys.subarray(0, 32);
    this.#handshake = new Cipher(keys.subarray(32));
  }

  #seal(plain: Uint8Array): Buffer {
    const sealed = this.#handshake.seal(plain, this.#hash);
    this.#mixHash(sealed);
    return sealed;
  }

  #open(sealed: Uint8Array): Buffer {
    const plain = this.#handshake.open(sealed, this.#hash);
    this.#mixHash(sealed);
    return plain;
  }
}
