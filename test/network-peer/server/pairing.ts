import { proto } from '@whiskeysockets/baileys';
import { Refusal } from '../../../runtime/errors.ts';
import { makeKeyPair, typed, verifies } from '../curve.ts';
import { bytesOf, child, el, SERVER, type Stanza, THE_SERVER, unsigned } from '../stanza.ts';
import type { Connection } from '../wire/connection.ts';
import type { Account } from './account.ts';
import { type Exchange, seconds } from './exchange.ts';
import { type DeviceCertificate, prove, sealedProof } from './identity.ts';
import { tellOfFewKeys } from './keys.ts';
import { Linked } from './linked.ts';
import { announceDevice } from './notices.ts';

const REFS = 6;
const FIRST_REF_MS = 60_000;
const NEXT_REF_MS = 20_000;
const MAX_DEVICES = 4;

/** A client without a login that shows codes. */
export interface Candidate {
  readonly connection: Connection;
  readonly facts: proto.ClientPayload.IDevicePairingRegistrationData;
  readonly refs: readonly string[];
  readonly since: number;
  link: { readonly account: Account; readonly certificate: DeviceCertificate; readonly settle: Settle } | null;
}

interface Settle {
  done(jid: string): void;
  failed(cause: Error): void;
}

/** Links computers to phones: QR codes, and the steps after a code was scanned or typed. */
export class Pairings {
  readonly #exchange: Exchange;
  readonly #candidates = new Map<Connection, Candidate>();

  constructor(exchange: Exchange) {
    this.#exchange = exchange;
  }

  candidate(connection: Connection): Candidate | null {
    return this.#candidates.get(connection) ?? null;
  }

  /** Sends six codes to a client without a login. */
  offer(connection: Connection, facts: proto.ClientPayload.IDevicePairingRegistrationData): void {
    const { random, journal, clock } = this.#exchange;
    const refs = Array.from({ length: REFS }, () => `2@${random.bytes(48).toString('base64')}`);
    this.#candidates.set(connection, { connection, facts, refs, since: clock.now(), link: null });
    journal.event('registered', connection.name);
    const offered = refs.map((ref) => el('ref', {}, Buffer.from(ref)));
    connection.send(el('iq', { from: THE_SERVER, type: 'set', xmlns: 'md', id: random.messageId() }, [el('pair-device', {}, offered)]));
  }

  /**
   * Scans a computer's code on a phone. Resolves with the computer's address once it has proven its identity. Rejects
   * with NOT_FOUND if the code is unknown, and with CONFLICT if it is expired or forged, or if the account has too
   * many devices.
   */
  scan(account: Account, qr: string): Promise<string> {
    const [ref = '', noiseKey = '', identity = '', secret = ''] = qr.slice(qr.indexOf('#') + 1).split(',');
    const candidate = [...this.#candidates.values()].find(({ refs, link }) => refs.includes(ref) && !link);
    if (!candidate) return Promise.reject(new Refusal('NOT_FOUND'));
    const isCurrent = candidate.refs.indexOf(ref) === this.#refShown(candidate);
    const isGenuine =
      bytes(identity).equals(Buffer.from(candidate.facts.eIdent ?? [])) && bytes(noiseKey).equals(candidate.connection.introduction.key);
    if (!isCurrent || !isGenuine) return Promise.reject(new Refusal('CONFLICT', { why: isCurrent ? 'forged' : 'expired' }));
    return this.link(account, candidate, bytes(secret));
  }

  /** Notifies the computer that the phone has accepted it. `secret`: known only to these two. */
  link(account: Account, candidate: Candidate, secret: Buffer): Promise<string> {
    if (account.linked.size >= MAX_DEVICES) return Promise.reject(new Refusal('CONFLICT', { why: 'too many devices' }));
    const { passkey } = account;
    if (!passkey) return this.#succeed(account, candidate, secret);
    return this.#exchange.passkeys.ask(account, passkey, candidate, secret).then((fresh) => this.#succeed(account, candidate, fresh));
  }

  #succeed(account: Account, candidate: Candidate, secret: Buffer): Promise<string> {
    account.devicesMade += 1;
    const companion = Buffer.from(candidate.facts.eIdent ?? []);
    const { faults, random } = this.#exchange;
    const signer = faults.forges('signature') ? makeKeyPair(random) : account.phone.keys.identity;
    const certificate = prove(this.#exchange, account.phone.keys.identity, signer, companion, account.devicesMade);
    const shared = faults.forges('secret') ? random.bytes(32) : secret;
    const settled = new Promise<string>((done, failed) => {
      candidate.link = { account, certificate, settle: { done, failed } };
    });
    candidate.connection.send(this.#success(account, certificate, shared));
    return settled;
  }

  /** Handles the computer's signature, which the phone verifies. The computer must then log in. */
  signed(connection: Connection, answer: Stanza): void {
    const candidate = this.candidate(connection);
    if (!candidate?.link) return;
    const { account, certificate, settle } = candidate.link;
    const proof = proto.ADVSignedDeviceIdentity.decode(bytesOf(answer, 'device-identity'));
    if (!certificate.accepts(proof)) return this.#reject(candidate, 'device signature invalid');
    const linked = linkedOf(account, certificate, candidate);
    if (!linked) return this.#reject(candidate, 'signed pre-key invalid');
    account.linked.set(linked.device, linked);
    linked.runsLow = () => tellOfFewKeys(this.#exchange, linked);
    this.#candidates.delete(connection);
    this.#exchange.journal.event('paired', connection.name, { jid: linked.jid });
    announceDevice(this.#exchange, account, 'add', linked.device);
    connection.end(el('stream:error', { code: 515 }));
    settle.done(linked.jid);
  }

  closed(connection: Connection): void {
    const candidate = this.candidate(connection);
    this.#candidates.delete(connection);
    candidate?.link?.settle.failed(new Refusal('NOT_FOUND', { why: 'the computer is gone' }));
  }

  #refShown({ since }: Candidate): number {
    const past = this.#exchange.clock.now() - since - FIRST_REF_MS;
    return past < 0 ? 0 : 1 + Math.floor(past / NEXT_REF_MS);
  }

  #success(account: Account, certificate: DeviceCertificate, secret: Buffer): Stanza {
    const attrs = { from: THE_SERVER, type: 'set', xmlns: 'md', id: this.#exchange.random.messageId(), t: seconds(this.#exchange) };
    const { device } = certificate;
    const success = el('pair-success', {}, [
      el('device-identity', {}, sealedProof(certificate, secret)),
      el('platform', { name: 'android' }),
      ...(account.isMigrated !== null && account.tellsMigration ? [el('client-props', {}, clientProps(account.isMigrated))] : []),
      el('device', { jid: `${account.digits}:${device}@${SERVER}`, lid: `${account.lid}:${device}@lid` }),
    ]);
    return el('iq', attrs, [success]);
  }

  #reject(candidate: Candidate, what: string): void {
    this.#exchange.journal.event('violation', candidate.connection.name, { what });
    candidate.link?.settle.failed(new Error(what));
    candidate.connection.cut();
  }
}

const clientProps = (isChatDbLidMigrated: boolean): Uint8Array =>
  proto.ClientPairingProps.encode({ isChatDbLidMigrated, isSyncdPureLidSession: false }).finish();

const bytes = (base64: string): Buffer => Buffer.from(base64, 'base64');

function linkedOf(
  account: Account,
  { device, details, accountSignature }: DeviceCertificate,
  { facts, connection }: Candidate,
): Linked | null {
  const identity = Buffer.from(facts.eIdent ?? []);
  const key = Buffer.from(facts.eSkeyVal ?? []);
  const signature = Buffer.from(facts.eSkeySig ?? []);
  if (!verifies(identity, typed(key), signature)) return null;
  const signedPreKey = { id: unsigned(facts.eSkeyId ?? Buffer.alloc(1)), public: key, signature };
  const registrationId = unsigned(facts.eRegid ?? Buffer.alloc(1));
  const noiseKey = connection.introduction.key;
  return new Linked(account, device, { noiseKey, identity, registrationId, signedPreKey, details, accountSignature });
}

/** Returns the `<pair-device-sign>` of a response, if there is one. */
export const pairDeviceSign = (stanza: Stanza): Stanza | undefined => child(stanza, 'pair-device-sign');
