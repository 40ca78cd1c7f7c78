import { createHash } from 'node:crypto';
import { el, jidOf, parseJid, SERVER, type Stanza } from '../stanza.ts';
import type { Account } from './account.ts';
import { type Exchange, seconds } from './exchange.ts';
import type { Linked } from './linked.ts';

/** Sends one computer a notification, and again at each login until it is acknowledged. */
export function notify(
  exchange: Exchange,
  to: Linked,
  from: string,
  type: string,
  content: readonly Stanza[],
  more: Stanza['attrs'] = {},
): void {
  to.deliver(el('notification', { from, type, id: exchange.random.messageId(), t: seconds(exchange), ...more }, content));
}

/**
 * Announces an added or removed device. All other accounts' computers are notified under both addresses, with the hash
 * of each list. The account's own other computers get the full list.
 */
export function announceDevice(exchange: Exchange, account: Account, what: 'add' | 'remove', device: number): void {
  const jids = { jid: jidOf(account.digits, SERVER, device), lid: jidOf(account.lid, 'lid', device) };
  const hashes = { device_hash: listHash(addressesOf(account, 'jid')), device_lid_hash: listHash(addressesOf(account, 'lid')) };
  const change = el(what, hashes, [el('device', { ...jids, 'key-index': device })]);
  announce(exchange, account, 'devices', [change], { lid: account.lidJid });
  const list = addressesOf(account, 'jid').map((jid) => el('device', { jid, 'key-index': parseJid(jid).device || null }));
  for (const linked of account.linked.values())
    if (linked.device !== device)
      notify(exchange, linked, account.jid, 'account_sync', [el('devices', { dhash: hashes.device_hash }, list)], { lid: account.lidJid });
}

/** Returns the addresses of all devices of an account, the phone first. */
export function addressesOf({ handsets, linked }: Account, by: 'jid' | 'lid'): readonly string[] {
  const all = [...handsets.values(), ...linked.values()].toSorted((a, b) => a.device - b.device);
  return all.map((device) => device[by]);
}

/** Returns the hash of a device list: six bytes over all addresses, each written with its agent and device. */
export function listHash(jids: readonly string[]): string {
  const written = jids.map(parseJid).map(({ user, device, domain }) => `${user}.0:${device}@${domain}`);
  const hash = createHash('sha256').update(written.toSorted().join('')).digest();
  return `2:${hash.subarray(0, 6).toString('base64').replaceAll('=', '')}`;
}

/** Sends a notification about an account to all computers of all other accounts. */
export function announce(exchange: Exchange, account: Account, type: string, content: readonly Stanza[], more: Stanza['attrs'] = {}): void {
  for (const other of exchange.directory.all) {
    if (other === account) continue;
    for (const linked of other.linked.values()) notify(exchange, linked, account.jid, type, content, more);
  }
}
