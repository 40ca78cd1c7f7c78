import { createPublicKey } from 'node:crypto';
import { isChannel } from '../../../../actors/network/channels.ts';
import type { PhoneOnlySettings } from '../../../../actors/network/groups.ts';
import { userJid } from '../../../../actors/network/jid.ts';
import type { PasskeyCredential, PasskeyOptions } from '../../../../actors/network/passkey.ts';
import type { Act, ShownPresence } from '../../../../actors/network/sandbox/protocol.ts';
import { readContent } from '../../../../actors/network/whatsapp/inbound/read-content.ts';
import type { Library } from '../../../../actors/network/whatsapp/library.ts';
import { present } from '../../../../runtime/invariant.ts';
import type { Peer } from '../../../network-peer/peer.ts';
import type { SeenPresence } from '../../../network-peer/people/correspondent.ts';
import type { Person as PeerPerson } from '../../../network-peer/people/person.ts';
import { type AccountPasskey, RP_ID } from '../../../network-peer/server/passkeys.ts';
import { el, type Stanza } from '../../../network-peer/stanza.ts';
import { anAuthenticator } from '../../../support/authenticator.ts';
import type { Person } from '../world.ts';

/** A person of the peer, as the contract suite needs one. */
export function personOf(peer: Peer, library: Library, digits: string): Person {
  const phone = peer.phone(digits);
  return {
    async shows() {
      const got = phone.shows().filter(({ netId }) => !phone.wrote(netId));
      return got.map(({ netId, from, message }) => ({ netId, from, content: readContent(library, message)!.content }));
    },
    remembers: async (chat, lines) => phone.remembers(chat, lines),
    writes: (to, body) => phone.writes(to, body),
    async scans(shown) {
      if ('qr' in shown) return void (await phone.scans(shown.qr));
      await peer.journal.untilEvent('pairing-code-asked');
      await phone.types(shown.pairingCode);
    },
    async is({ passkey, addable, online, reads, onNetwork, name, lid, tellsNumber, business, about }) {
      if (addable !== undefined) phone.account.isAddable = addable;
      if (passkey) wantsPasskey(phone, { timeout: 60_000 });
      if (business) phone.app.becomesBusiness();
      if (about !== undefined) phone.says(about);
      if (onNetwork !== undefined) phone.isOnNetwork(onNetwork);
      if (name !== undefined) phone.isCalled(name);
      if (tellsNumber) await phone.tellsNumber();
      await phone.is({
        ...(online !== undefined && { isOnline: online }),
        ...(reads !== undefined && { reads }),
        ...(lid !== undefined && { isHidden: lid }),
        ...(tellsNumber !== undefined && { tellsNumber }),
      });
    },
    does: (to, target, act) => does(phone, to, target, act),
    looksAt: async (chat) => phone.looksAt(chat),
    async setsGroup(id, change) {
      const group = present(peer.groups.get(id), id);
      for (const told of settingStanzas(change)) peer.changesGroup(digits, group, { kind: 'setting', told });
    },
    async follows(code) {
      const channel = present(peer.channels.find(code), code);
      channel.followers.add(phone.account);
    },
    plays: async (netId) => phone.plays(netId),
    async views(netId) {
      const { chat } = phone.shown(netId);
      if (isChannel(chat)) peer.viewsPost(digits, chat, netId);
      else phone.reads(netId);
    },
    reactsTo: async (netId, emoji) => peer.reactsToPost(digits, phone.shown(netId).chat, netId, emoji),
    calls: async (to, how) => phone.calls(to, how),
    answersCall: async (from, callId) => phone.answersCall(from, callId),
    endsCall: async (to, callId, isMissed) => phone.hangsUp(to, callId, isMissed ? 'timeout' : null),
    rings: async (callId) => phone.app.calls.some(({ id, state }) => id === callId && state === 'ringing'),
    async marks(netId) {
      const { reactions, isEdited, text, isDeleted } = phone.shown(netId);
      return { reactions: Object.fromEntries(reactions), body: isEdited ? text : null, deleted: isDeleted, seenBy: phone.readBy(netId) };
    },
    signs: async (options) => signedBy(phone, options),
    marksChat: async (chat, name, value) => phone.app.marksChat(chat, name, value),
    async changesView(kind, { chat, netId, author }) {
      if (kind === 'removed') phone.app.deletesForMe(chat, netId, author);
      else phone.app.stars(chat, netId, author, kind === 'starred');
    },
    saves: async (who, name) => phone.app.saves(who, name),
    clears: async (chat) => phone.app.clears(chat),
    marked: async () => phone.app.marked,
    types: async (to, state) => phone.appears(to, state),
    async appears() {
      const shown = peer.journal.stanzas({ way: 'up', tag: 'presence' }).filter(({ stanza }) => stanza.attrs['type'] !== 'subscribe');
      return shown.at(-1)?.stanza.attrs['type'] === 'available' ? 'available' : 'unavailable';
    },
    presences: async () => phone.sees().flatMap(presenceOf),
  };
}

const authenticators = new WeakMap<PeerPerson, ReturnType<typeof anAuthenticator>>();

/** Its account has a passkey from now on, in an authenticator of its own. */
export function wantsPasskey(phone: PeerPerson, how: Omit<AccountPasskey, 'id' | 'publicKey'> = {}): void {
  const authenticator = anAuthenticator(`https://${RP_ID}`);
  authenticator.create({ challenge: 'AAAA', rp: { id: RP_ID }, user: { id: 'AAAA' } });
  authenticators.set(phone, authenticator);
  const { id, privateKey } = present(authenticator.credentials[0], 'a passkey');
  phone.wantsPasskey({ ...how, id, publicKey: createPublicKey(privateKey) });
}

type Unlike = Parameters<ReturnType<typeof anAuthenticator>['get']>[1];

/** What its browser makes of the options, or what an attacker does. */
export function signedBy(phone: PeerPerson, { challenge, rpId }: PasskeyOptions, unlike: Unlike = {}): PasskeyCredential {
  const credential = present(authenticators.get(phone), 'an authenticator').get({ challenge, rpId: String(rpId) }, unlike);
  return { ...credential, type: 'public-key' };
}

function does(phone: PeerPerson, to: string, target: string, act: Act): Promise<string> {
  switch (act.kind) {
    case 'reaction':
      return phone.reacts(to, target, act.emoji);
    case 'edited':
      return phone.edits(to, target, act.body);
    case 'deleted':
      return phone.deletes(to, target);
    case 'vote':
      return phone.votes(to, target, act.choices);
  }
}

/** A person as listed in the network's group notifications. */
function settingStanzas(change: PhoneOnlySettings): readonly Stanza[] {
  const { member_link_mode: link, member_share_history_mode: share, admin_reports, no_frequently_forwarded, locked_until } = change;
  return [
    ...(link === undefined ? [] : [el('member_link_mode', {}, link === 'admins' ? 'admin_link' : 'all_member_link')]),
    ...(share === undefined ? [] : [el('member_share_group_history_mode', {}, share === 'admins' ? 'admin_share' : 'all_member_share')]),
    ...(admin_reports === undefined ? [] : [el(admin_reports ? 'allow_admin_reports' : 'not_allow_admin_reports', {}, [])]),
    ...(no_frequently_forwarded === undefined
      ? []
      : [el(no_frequently_forwarded ? 'no_frequently_forwarded' : 'frequently_forwarded_ok', {}, [])]),
    ...(typeof locked_until === 'number' ? [el('growth_locked', { type: 'invite', expiration: locked_until / 1_000 }, [])] : []),
    ...(locked_until === null ? [el('growth_unlocked', { type: 'invite' }, [])] : []),
  ];
}

/** As shown in the chat with the one who writes; that somebody is there at all is another thing. */
function presenceOf({ from, what }: SeenPresence): readonly ShownPresence[] {
  const user = from.slice(0, from.search(/[:@]/));
  const isShown = what === 'composing' || what === 'recording' || what === 'paused';
  return isShown ? [{ from: user, chat: userJid(user), state: what }] : [];
}
