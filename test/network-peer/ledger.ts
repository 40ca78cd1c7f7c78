import { createHash } from 'node:crypto';
import type { Journal } from './journal.ts';
import { bytesOf, children, type Stanza } from './stanza.ts';

const VERSION_BYTES = 1;
const MAC_BYTES = 8;
const SIGNATURE_BYTES = 64;

/** Field numbers in Signal's own messages. */
const RATCHET_KEY = 1;
const COUNTER = 2;
const BODY_OF_PRE_KEY_MESSAGE = 4;
const SENDER_KEY_ID = 1;
const ITERATION = 2;

/**
 * Detects what a client must never do: encrypt two texts with the same key and IV, or publish two keys under one
 * number. Each chain key and counter give one message key and one IV, so a repetition with a different ciphertext is
 * proof. Kept for the peer's whole life; violations are also in the journal.
 */
export class Ledger {
  readonly #journal: Journal;
  readonly #seals = new Map<string, string>();
  readonly #preKeys = new Map<string, string>();
  readonly #ids = new Map<string, number>();
  readonly violations: string[] = [];

  constructor(journal: Journal) {
    this.#journal = journal;
  }

  /** Number of distinct keys and IVs seen on the wire. */
  get seals(): number {
    return this.#seals.size;
  }

  /** Number of times each message id was sent. */
  get sentIds(): ReadonlyMap<string, number> {
    return this.#ids;
  }

  /** Records a message stanza from the device `line`. */
  message(line: string, stanza: Stanza): void {
    const id = stanza.attrs['id'] ?? '';
    this.#ids.set(id, (this.#ids.get(id) ?? 0) + 1);
    for (const { to, seal } of sealsOf(stanza)) {
      const use = useOf(seal.attrs['type'] ?? '', bytesOf(seal));
      if (use) this.#once(this.#seals, `${line} ${to} ${use}`, digest(bytesOf(seal)), `key and IV used twice in message ${id}`);
      else this.#violated(line, `message ${id} holds no Signal message`);
    }
  }

  /** Records a one-time key that the device `line` publishes. */
  preKey(line: string, id: number, key: Uint8Array): void {
    this.#once(this.#preKeys, `${line} ${id}`, digest(key), `pre-key ${id} published with two keys`);
  }

  #once(seen: Map<string, string>, use: string, what: string, wrong: string): void {
    const before = seen.get(use);
    if (before === undefined) seen.set(use, what);
    else if (before !== what) this.#violated(use, wrong);
  }

  #violated(who: string, what: string): void {
    this.violations.push(`${who}: ${what}`);
    this.#journal.event('violation', who, { what });
  }
}

const digest = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('base64');

function sealsOf(stanza: Stanza): readonly { to: string; seal: Stanza }[] {
  const own = children(stanza, 'enc').map((seal) => ({ to: stanza.attrs['to'] ?? '', seal }));
  const each = children(stanza, 'participants').flatMap((list) => children(list, 'to'));
  return [...own, ...each.flatMap((to) => children(to, 'enc').map((seal) => ({ to: to.attrs['jid'] ?? '', seal })))];
}

/** Returns the chain key and counter of a ciphertext; null if it is not a Signal message. */
function useOf(type: string, ciphertext: Buffer): string | null {
  try {
    if (type === 'skmsg') return groupUse(ciphertext.subarray(VERSION_BYTES, -SIGNATURE_BYTES));
    if (type === 'msg') return directUse(ciphertext);
    return directUse(asBytes(fieldsOf(ciphertext.subarray(VERSION_BYTES)).get(BODY_OF_PRE_KEY_MESSAGE)));
  } catch {
    return null;
  }
}

function directUse(message: Buffer): string {
  const fields = fieldsOf(message.subarray(VERSION_BYTES, -MAC_BYTES));
  return `${asBytes(fields.get(RATCHET_KEY)).toString('base64')} ${fields.get(COUNTER) ?? 0}`;
}

function groupUse(body: Buffer): string {
  const fields = fieldsOf(body);
  return `group ${fields.get(SENDER_KEY_ID) ?? 0} ${fields.get(ITERATION) ?? 0}`;
}

function asBytes(value: Buffer | number | undefined): Buffer {
  if (value instanceof Buffer) return value;
  throw new Error('no bytes');
}

/** Returns the numeric and bytes fields of a protobuf message. */
function fieldsOf(message: Buffer): ReadonlyMap<number, Buffer | number> {
  const fields = new Map<number, Buffer | number>();
  let at = 0;
  const varint = (): number => {
    let value = 0;
    for (let scale = 1; ; scale *= 128) {
      const byte = message[at];
      if (byte === undefined) throw new Error('cut short');
      at += 1;
      value += (byte & 127) * scale;
      if (byte < 128) return value;
    }
  };
  while (at < message.length) {
    const tag = varint();
    const value = varint();
    if (tag % 8 === 0) fields.set(tag >>> 3, value);
    else if (tag % 8 === 2) fields.set(tag >>> 3, message.subarray(at, at + value));
    else throw new Error(`wire type ${tag % 8}`);
    if (tag % 8 === 2) at += value;
  }
  return fields;
}
