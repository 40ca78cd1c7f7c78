import { createCipheriv, createDecipheriv, hkdfSync, pbkdf2Sync } from 'node:crypto';
import { Refusal } from '../../../runtime/errors.ts';
import { agree, makeKeyPair } from '../curve.ts';
import { bytesOf, el, parseJid, type Stanza, THE_SERVER } from '../stanza.ts';
import type { Connection } from '../wire/connection.ts';
import type { Account } from './account.ts';
import { type Exchange, seconds } from './exchange.ts';

const ROUNDS = 131_072;
const SALT = 32;
const BLOCK_IV = 16;
const GCM_IV = 12;
const TAG = 16;
const KEY = 32;

interface Asked {
  readonly digits: string;
  /** The computer's ephemeral key, encrypted with the code. */
  readonly wrapped: Buffer;
  readonly ref: Buffer;
  finish: ((bundle: Buffer, identity: Buffer) => void) | null;
  failed: ((cause: Error) => void) | null;
}

/** Links computers with an eight-character code that the person types on the phone. */
export class PairingCodes {
  readonly #exchange: Exchange;
  readonly #asked = new Map<Connection, Asked>();

  constructor(exchange: Exchange) {
    this.#exchange = exchange;
  }

  /** Handles a computer's announcement of its code or the final step. Returns the content of the server's response. */
  heard(connection: Connection, asked: Stanza): readonly Stanza[] {
    return asked.attrs['stage'] === 'companion_hello' ? this.#hello(connection, asked) : this.#finish(connection, asked);
  }

  /** Types a code on the phone; same results as `Pairings.scan`. */
  async type(account: Account, code: string): Promise<string> {
    const [connection, asked] = [...this.#asked].find(([, each]) => each.digits === account.digits && !each.finish) ?? [];
    const candidate = connection && this.#exchange.pairings.candidate(connection);
    if (!connection || !asked || !candidate) throw new Refusal('NOT_FOUND');
    const own = makeKeyPair(this.#exchange.random);
    const typed = code.toUpperCase().replaceAll('-', '');
    const theirs = unwrap(typed, asked.wrapped);
    connection.send(this.#primaryHello(asked, wrap(typed, own.public, this.#exchange.random.bytes(SALT + BLOCK_IV)), account));
    const secret = await new Promise<Buffer>((done, failed) => {
      asked.failed = failed;
      asked.finish = (bundle, identity) => attempt(() => secretOf(account, agree(own.private, theirs), bundle, identity), done, failed);
    });
    this.#asked.delete(connection);
    return this.#exchange.pairings.link(account, candidate, secret);
  }

  closed(connection: Connection): void {
    this.#asked.get(connection)?.failed?.(new Refusal('NOT_FOUND', { why: 'the computer is gone' }));
    this.#asked.delete(connection);
  }

  #hello(connection: Connection, asked: Stanza): readonly Stanza[] {
    const { user: digits } = parseJid(asked.attrs['jid'] ?? '');
    const wrapped = bytesOf(asked, 'link_code_pairing_wrapped_companion_ephemeral_pub');
    const ref = this.#exchange.random.bytes(16);
    this.#asked.set(connection, { digits, wrapped, ref, finish: null, failed: null });
    this.#exchange.journal.event('pairing-code-asked', connection.name, { digits });
    return [el('link_code_companion_reg', { stage: 'companion_hello' }, [el('link_code_pairing_ref', {}, ref)])];
  }

  #finish(connection: Connection, asked: Stanza): readonly Stanza[] {
    const bundle = bytesOf(asked, 'link_code_pairing_wrapped_key_bundle');
    this.#asked.get(connection)?.finish?.(bundle, bytesOf(asked, 'companion_identity_public'));
    return [];
  }

  #primaryHello({ ref }: Asked, wrapped: Buffer, account: Account): Stanza {
    const attrs = { from: THE_SERVER, type: 'link_code_companion_reg', id: this.#exchange.random.messageId(), t: seconds(this.#exchange) };
    const hello = el('link_code_companion_reg', { stage: 'primary_hello' }, [
      el('link_code_pairing_wrapped_primary_ephemeral_pub', {}, wrapped),
      el('primary_identity_pub', {}, account.phone.keys.identity.public),
      el('link_code_pairing_ref', {}, ref),
    ]);
    return el('notification', attrs, [hello]);
  }
}

function attempt<T>(run: () => T, done: (value: T) => void, failed: (cause: Error) => void): void {
  try {
    done(run());
  } catch (cause) {
    failed(new Refusal('CONFLICT', { why: 'wrong code' }, { cause }));
  }
}

const keyOf = (code: string, salt: Buffer): Buffer => pbkdf2Sync(code, salt, ROUNDS, KEY, 'sha256');

/** `saltAndIv`: 48 random bytes. */
function wrap(code: string, key: Buffer, saltAndIv: Buffer): Buffer {
  const cipher = createCipheriv('aes-256-ctr', keyOf(code, saltAndIv.subarray(0, SALT)), saltAndIv.subarray(SALT));
  return Buffer.concat([saltAndIv, cipher.update(key), cipher.final()]);
}

function unwrap(code: string, wrapped: Buffer): Buffer {
  const start = SALT + BLOCK_IV;
  const cipher = createDecipheriv('aes-256-ctr', keyOf(code, wrapped.subarray(0, SALT)), wrapped.subarray(SALT, start));
  return Buffer.concat([cipher.update(wrapped.subarray(start)), cipher.final()]);
}

/** Derives the final shared secret. Throws if the codes differ. */
function secretOf(account: Account, shared: Buffer, bundle: Buffer, identity: Buffer): Buffer {
  const salt = bundle.subarray(0, SALT);
  const key = Buffer.from(hkdfSync('sha256', shared, salt, 'link_code_pairing_key_bundle_encryption_key', KEY));
  const cipher = createDecipheriv('aes-256-gcm', key, bundle.subarray(SALT, SALT + GCM_IV));
  cipher.setAuthTag(bundle.subarray(-TAG));
  const plain = Buffer.concat([cipher.update(bundle.subarray(SALT + GCM_IV, -TAG)), cipher.final()]);
  const phone = account.phone.keys.identity;
  if (!plain.subarray(0, KEY).equals(identity) || !plain.subarray(KEY, 2 * KEY).equals(phone.public)) throw new Error('another device');
  const secrets = Buffer.concat([shared, agree(phone.private, identity), plain.subarray(2 * KEY)]);
  return Buffer.from(hkdfSync('sha256', secrets, '', 'adv_secret', KEY));
}
