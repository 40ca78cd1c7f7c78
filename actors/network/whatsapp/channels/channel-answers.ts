import type { AtChannel, ChannelDraft, ChannelQuestions, ChannelRecord, ChannelRole } from '../../channels.ts';
import { networkRefusal } from '../../network-refusal.ts';
import type { Answers } from '../../questions.ts';
import { askMex, type MexQuestion } from '../mex/ask-mex.ts';
import { isObject } from '../mex/read-mex.ts';
import { child, el, query } from '../questions/query.ts';
import type { ConnectionContext } from '../session/connection-context.ts';
import { createChannel } from './create-channel.ts';
import { isGone, readChannel, readFollower } from './read-channel.ts';
import { readPosts } from './read-posts.ts';

export const channelAnswers: Answers<ConnectionContext, ChannelQuestions> = {
  'channels.list': listChannels,
  'channels.get': (context, { id }) => find(context, id, 'JID'),
  'channels.byCode': (context, { code }) => find(context, code, 'INVITE'),
  'channels.create': (context, draft) => createChannel(context, draft, () => listChannels(context)),
  'channels.update': async (context, { id, ...draft }) => known(await update(context, id, draft), 'owner'),
  'channels.delete': (context, { id }) => change(context, 'delete', id),
  async 'channels.follow'(context, { id }) {
    await change(context, 'follow', id);
    return find(context, id, 'JID');
  },
  'channels.unfollow': (context, { id }) => change(context, 'unfollow', id),
  'channels.mute': (context, { id, muted }) => change(context, muted ? 'mute' : 'unmute', id),
  async 'channels.posts'(context, { id, limit, before }) {
    const content = [el('messages', { type: 'jid', jid: id, count: String(limit), before })];
    const answer = await query(context, { xmlns: 'newsletter', type: 'get', to: SERVER, content });
    context.watches.watch(id);
    return readPosts(context.library, child(answer, 'messages'));
  },
  async 'channels.followers'(context, { id, limit }) {
    const variables = { input: { newsletter_id: id, count: limit } };
    const told = await askMex(context, { name: 'followers', variables, root: 'xwa2_newsletter_followers' });
    return edgesIn(told).flatMap((edge) => readFollower(edge) ?? []);
  },
};

const SERVER = '@s.whatsapp.net';

const ROOTS = {
  follow: 'xwa2_newsletter_join_v2',
  unfollow: 'xwa2_newsletter_leave_v2',
  mute: 'xwa2_newsletter_mute_v2',
  unmute: 'xwa2_newsletter_unmute_v2',
  delete: 'xwa2_newsletter_delete_v2',
} as const;

async function change(context: ConnectionContext, name: keyof typeof ROOTS, id: string): Promise<null> {
  await askMex(context, { name, variables: { newsletter_id: id }, root: ROOTS[name] });
  return null;
}

const find = async (context: ConnectionContext, key: string, type: 'JID' | 'INVITE'): Promise<ChannelRecord> =>
  known(await askMex(context, metadata(key, type)));

const metadata = (key: string, type: 'JID' | 'INVITE'): MexQuestion => ({
  name: 'get',
  variables: {
    input: { key, type, view_role: 'GUEST' },
    fetch_creation_time: true,
    fetch_full_image: false,
    fetch_viewer_metadata: true,
  },
  root: 'xwa2_newsletter',
});

function known(told: unknown, role: ChannelRole = null): ChannelRecord {
  const record = readChannel(told, role);
  if (!record || isGone(told)) throw networkRefusal(404);
  return record;
}

async function listChannels(context: ConnectionContext): Promise<readonly ChannelRecord[]> {
  const told = await askMex(context, { name: 'list', variables: {}, root: 'xwa2_newsletter_subscribed' });
  return (Array.isArray(told) ? told : []).flatMap((each) => (isGone(each) ? [] : (readChannel(each) ?? [])));
}

function update(context: ConnectionContext, id: AtChannel['id'], draft: Partial<ChannelDraft>): Promise<unknown> {
  const { name, description, picture } = draft;
  const updates = {
    ...(name !== undefined && { name }),
    ...(description !== undefined && { description: description ?? '' }),
    ...(picture !== undefined && { picture }),
    settings: null,
  };
  return askMex(context, { name: 'update', variables: { newsletter_id: id, updates }, root: 'xwa2_newsletter_update' });
}

function edgesIn(told: unknown): readonly unknown[] {
  if (Array.isArray(told)) return told;
  const inner = isObject(told) ? (told['followers'] ?? told['edges']) : undefined;
  return inner === undefined ? [] : edgesIn(inner);
}
