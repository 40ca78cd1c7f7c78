import { createHash } from 'node:crypto';
import type { Bundle, SignedPreKey } from '../people/signal.ts';
import { bigEndian, bytesOf, child, children, el, parseJid, type Stanza, THE_SERVER, unsigned } from '../stanza.ts';
import type { Exchange } from './exchange.ts';
import type { Linked } from './linked.ts';
import { notify } from './notices.ts';
import type { Query } from './query.ts';

const KEY_TYPE = Buffer.from([5]);

export const countKeys: Query = (_exchange, { preKeys }) => [el('count', { value: preKeys.length })];

/** Returns the digest of a client's keys on the server. The hash covers the keys in this order. */
export const digestKeys: Query = (_exchange, { registrationId, identity, signedPreKey, preKeys }) => {
  const hash = createHash('sha1').update(identity).update(signedPreKey.public).update(signedPreKey.signature);
  for (const key of preKeys) hash.update(key.public);
  const ids = preKeys.map(({ id }) => el('id', {}, bigEndian(id, 3)));
  return [
    el('digest', {}, [
      ...headOf(registrationId, identity),
      el('skey', {}, signedNodes(signedPreKey)),
      el('list', {}, ids),
      el('hash', {}, hash.digest()),
    ]),
  ];
};

/** Stores a client's keys and one-time keys. */
export const uploadKeys: Query = ({ journal, ledger }, linked, _asked, iq) => {
  linked.registrationId = unsigned(bytesOf(iq, 'registration'));
  linked.identity = bytesOf(iq, 'identity');
  linked.signedPreKey = signedPreKeyOf(child(iq, 'skey'));
  const keys = children(child(iq, 'list'), 'key').map((key) => ({ id: unsigned(bytesOf(key, 'id')), public: bytesOf(key, 'value') }));
  for (const key of keys) ledger.preKey(linked.line, key.id, key.public);
  linked.preKeys.push(...keys);
  journal.event('pre-keys', linked.line, { count: keys.length });
  return [];
};

export function tellOfFewKeys(exchange: Exchange, linked: Linked): void {
  notify(exchange, linked, THE_SERVER, 'encrypt', [el('count', { value: linked.preKeys.length })]);
}

export const rotateKey: Query = (_exchange, linked, asked) => {
  linked.signedPreKey = signedPreKeyOf(child(asked, 'skey'));
  return [];
};

/** Returns the keys of devices, with a one-time key for each. */
export const fetchKeys: Query = (exchange, linked, asked) => {
  const jids = children(asked, 'user').map(({ attrs }) => attrs['jid'] ?? '');
  if (!exchange.givesOwnKeys && jids.some((jid) => jid === linked.jid || jid === linked.lid)) return { error: 406, text: 'not-acceptable' };
  const users = jids.map((jid) => keysOf(exchange, jid));
  return [el('list', {}, users)];
};

function keysOf({ directory }: Exchange, jid: string): Stanza {
  const account = directory.of(jid);
  const { device } = parseJid(jid);
  const handset = account?.handsets.get(device);
  const bundle = handset ? handset.keysError === null && handset.bundle() : account?.linked.get(device)?.takeBundle();
  if (!bundle || !account?.onNetwork)
    return el('user', { jid }, [el('error', { code: handset?.keysError ?? 500, text: 'internal-server-error' })]);
  return el('user', { jid }, bundleNodes(bundle));
}

export function bundleNodes({ registrationId, identity, preKey, signedPreKey }: Bundle): readonly Stanza[] {
  const oneTime = preKey ? [el('key', {}, [el('id', {}, bigEndian(preKey.id, 3)), el('value', {}, preKey.public)])] : [];
  return [...headOf(registrationId, identity), ...oneTime, el('skey', {}, signedNodes(signedPreKey))];
}

const headOf = (registrationId: number, identity: Uint8Array): readonly Stanza[] => [
  el('registration', {}, bigEndian(registrationId, 4)),
  el('type', {}, KEY_TYPE),
  el('identity', {}, identity),
];

const signedNodes = ({ id, public: key, signature }: SignedPreKey): readonly Stanza[] => [
  el('id', {}, bigEndian(id, 3)),
  el('value', {}, key),
  el('signature', {}, signature),
];

function signedPreKeyOf(node: Stanza | undefined): Linked['signedPreKey'] {
  return { id: unsigned(bytesOf(node, 'id')), public: bytesOf(node, 'value'), signature: bytesOf(node, 'signature') };
}
