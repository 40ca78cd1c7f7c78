import type { ChannelPost, PostStats } from '../../channels.ts';
import { wordsOf } from '../../words.ts';
import { readContent } from '../inbound/read-content.ts';
import type { BinaryNode, Library, proto } from '../library.ts';
import { inside, only } from '../repairs/stanzas.ts';

export function readPosts(library: Library, messages: BinaryNode | undefined): readonly ChannelPost[] {
  return inside(messages, 'message')
    .flatMap((node) => readPost(library, node) ?? [])
    .toSorted((one, other) => Number(other.serverId) - Number(one.serverId));
}

function readPost(library: Library, node: BinaryNode): ChannelPost | null {
  const { server_id: serverId, id, t } = node.attrs;
  if (!serverId) return null;
  const bytes = only(node, 'plaintext')?.content;
  const plain = bytes instanceof Uint8Array && bytes.length > 0 ? decoded(library, bytes) : null;
  const content = plain ? (readContent(library, plain)?.content ?? null) : null;
  const said = { type: content?.type ?? null, body: content ? wordsOf(content) : null };
  return { serverId, netId: id ?? null, ...said, ...countsOf(node), at: Number(t ?? 0) * 1_000 };
}

function decoded({ proto: { Message } }: Library, bytes: Uint8Array): proto.IMessage | null {
  try {
    return Message.decode(bytes);
  } catch {
    return null;
  }
}

export function readLiveUpdates(channel: string, updates: BinaryNode | undefined): readonly PostStats[] {
  return inside(only(updates, 'messages') ?? updates, 'message').flatMap((node) => {
    const serverId = node.attrs['server_id'];
    const isCounted = only(node, 'views_count') !== undefined || only(node, 'reactions') !== undefined;
    return serverId && isCounted ? [{ channel, serverId, ...countsOf(node) }] : [];
  });
}

/** Reactions become field names in the store, and those must not start with these characters. */
const UNNAMEABLE = /^[$_]/;

function countsOf(node: BinaryNode): Pick<PostStats, 'views' | 'reactions'> {
  const views = only(node, 'views_count')?.attrs['count'];
  const counts = inside(only(node, 'reactions'), 'reaction').flatMap(({ attrs: { code, count } }): [string, number][] =>
    code && !UNNAMEABLE.test(code) && Number(count) > 0 ? [[code, Number(count)]] : [],
  );
  return { views: views === undefined ? null : Number(views), reactions: Object.fromEntries(counts) };
}
