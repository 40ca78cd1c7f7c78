import { bytesOf, children, el, textOf } from '../stanza.ts';
import { askedOfChannels } from './channel-queries.ts';
import { notify } from './notices.ts';
import { isPicture } from './pictures.ts';
import type { Query } from './query.ts';

const REACHOUT_TIMELOCK = '23983697327930364';
const MESSAGE_CAPPING = '24503548349331633';

/** Returns the URL of a person's picture. Without a picture, returns an error as the network does. */
export const pictureOf: Query = ({ directory, media }, linked, asked, iq) => {
  const account = directory.of(iq.attrs['target'] ?? '');
  // The network does not respond if the request for one's own picture contains a token.
  if (account === linked.account && [...children(iq, 'tctoken'), ...children(asked, 'tctoken')].length > 0) return 'silence';
  const picture = account?.picture;
  if (!picture) return { error: 404, text: 'item-not-found' };
  return [el('picture', { id: 1, type: 'image', url: media.put(picture).url, direct_path: media.put(picture).directPath })];
};

/** Changes the picture of the client's own account. */
export const setPicture: Query = (exchange, { account }, asked, iq) => {
  const { people, clock, groups } = exchange;
  const target = iq.attrs['target'];
  const group = target === undefined ? null : groups.get(target);
  if (target !== undefined && !group?.members.includes(account)) return { error: group ? 403 : 400, text: 'bad-request' };
  const picture = bytesOf(asked);
  if (!isPicture(picture) || asked.attrs['type'] !== 'image') return { error: 406, text: 'not-acceptable' };
  const id = Math.floor(clock.now() / 1000);
  if (group) {
    group.picture = picture;
    const news = [el('set', { jid: group.jid, id, author: account.lidJid })];
    for (const { linked } of group.members) for (const each of linked.values()) notify(exchange, each, group.jid, 'picture', news);
    return [el('picture', { id })];
  }
  account.picture = picture;
  people.accountChanged(account, 'picture', [el('set', { jid: account.jid, id, author: account.jid })]);
  return [el('picture', { id })];
};

export const removePicture: Query = ({ people }, { account }) => {
  account.picture = null;
  people.accountChanged(account, 'picture', [el('delete', { jid: account.jid, author: account.jid })]);
  return [];
};

export const setAbout: Query = ({ people }, { account }, asked) => {
  account.about = textOf(asked);
  people.accountChanged(account, 'status', [el('set', {}, account.about)]);
  return [];
};

/** Answers JSON queries: about channels, and the two about the client's own restrictions. */
export const authorization: Query = (exchange, { account }, asked) => {
  const { restriction } = account;
  const ofChannels = askedOfChannels(exchange, account, asked);
  if (ofChannels) return ofChannels;
  switch (asked.attrs['query_id']) {
    case REACHOUT_TIMELOCK:
      return [
        result({ xwa2_fetch_account_reachout_timelock: { is_active: restriction !== null, ...(restriction && lockFacts(restriction)) } }),
      ];
    case MESSAGE_CAPPING:
      return [result({ xwa2_message_capping_info: restriction ? capping(restriction) : { capping_status: 'NONE' } })];
    default:
      return { error: 501, text: 'feature-not-implemented' };
  }
};

const result = (data: unknown) => el('result', {}, Buffer.from(JSON.stringify({ data })));

/** Why an account may not start new chats, and how many of its allowed chats it has started. */
export interface Restriction {
  /** Epoch ms; null if no end is given. */
  readonly until: number | null;
  /** `BIZ_QUALITY`, `WEB_COMPANION_ONLY`, … */
  readonly reason: string;
  readonly used?: number;
  readonly quota?: number;
}

/** Formats a restriction as the network does, with its end in epoch seconds. */
export const lockFacts = ({ until, reason }: Restriction) => ({
  ...(until !== null && { time_enforcement_ends: String(Math.floor(until / 1000)) }),
  enforcement_type: reason,
});

export const capping = ({ used, quota }: Restriction) => ({ used_quota: used, total_quota: quota, capping_status: 'CAPPED' });

/** Returns the hosts for file uploads and downloads. */
export const mediaHosts: Query = ({ media }) => [
  el('media_conn', { auth: media.auth, ttl: 300, auth_ttl: 21_600, max_buckets: 12 }, [
    el('host', { hostname: media.name, maxContentLengthBytes: 104_857_600 }),
  ]),
];
