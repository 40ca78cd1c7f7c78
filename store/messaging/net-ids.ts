/**
 * Looks up messages by the network's ids. Senders choose these ids, so two messages of a device may
 * share one; an id identifies a message only together with its chat and author. The first message
 * with an id has it in the unique index `net_ids`. A message with the same id but another chat or
 * author is a twin: its row has a hash of both (`twin`) and the lane `TWIN_LANE`, and is in the
 * unique index `twins`.
 */

import { createHash } from 'node:crypto';
import { inChunks } from '../../runtime/in-chunks.ts';
import type { Collection, Filter } from '../port.ts';
import type { MessageRow } from './message-row.ts';

export interface MessagesByNetId {
  /** If `name` contains no author and several messages match, returns the one stored first. */
  known(sessionId: string, name: MessageName): Promise<MessageRow | null>;
  ours(sessionId: string, netId: string): Promise<MessageRow | null>;
  namesakes(sessionId: string, name: MessageName): Promise<readonly MessageRow[]>;
  inChat(sessionId: string, netIds: readonly string[], chats: readonly string[]): Promise<readonly MessageRow[]>;
  slotOf(row: MessageRow, aliases?: Aliases): Promise<Slot | null>;
}

export interface MessageName {
  readonly netId: string;
  readonly chats?: readonly string[];
  /**
   * All addresses of the author; null for this device's own number. Absent if the author is not
   * given.
   */
  readonly by?: readonly string[] | null;
}

export interface Aliases {
  readonly chats: readonly string[];
  readonly by: readonly string[];
}

export type Slot = Pick<MessageRow, 'lane' | 'twin'> | Record<string, never>;

const TWIN_LANE = -1;

export const FIRST = { lane: { $gte: 0 } } as const;
export const TWINS = { twin: { $gte: '' } } as const;

const MAX_TOGETHER = 200;

/** Maximum number of messages with one id. This many would never share an id by chance. */
export const MAX_NAMESAKES = 20;

export const NET_ID_INDEXES = [
  { name: 'net_ids', keys: { session_id: 1, net_id: 1 }, unique: true, where: FIRST },
  { name: 'twins', keys: { session_id: 1, net_id: 1, twin: 1 }, unique: true, where: TWINS },
] as const;

export function messagesByNetId(messages: Collection<MessageRow>): MessagesByNetId {
  async function namesakes(session_id: string, { netId: net_id, ...where }: MessageName): Promise<readonly MessageRow[]> {
    const named = nameFilter(where);
    const [first, twins] = await Promise.all([
      messages.findOne({ session_id, net_id, ...FIRST, ...named }),
      messages.find({ session_id, net_id, ...TWINS, ...named }, { limit: MAX_NAMESAKES }).toArray(),
    ]);
    return first ? [first, ...twins] : twins;
  }

  return {
    namesakes,
    ours: (session_id, net_id) => messages.findOne({ session_id, net_id, ...FIRST, direction: 'outbound' }),
    known: async (sessionId, name) => (await namesakes(sessionId, name))[0] ?? null,

    async inChat(session_id, netIds, chats) {
      const rows: MessageRow[] = [];
      for (const some of inChunks(netIds, MAX_TOGETHER)) {
        const named = { session_id, net_id: { $in: some }, chat_id: { $in: [...chats] } };
        const found = [FIRST, TWINS].map((which) => messages.find({ ...named, ...which }, { limit: MAX_TOGETHER }).toArray());
        rows.push(...(await Promise.all(found)).flat());
      }
      return rows;
    },

    async slotOf(row, aliases) {
      const { session_id, net_id } = row;
      if ((await namesakes(session_id, nameOf(row, aliases))).length > 0) return null;
      const isFree = (await messages.findOne({ session_id, net_id, ...FIRST }, { projection: { _id: 1 } })) === null;
      return isFree ? {} : { lane: TWIN_LANE, twin: twinOf(row) };
    },
  };
}

export function nameFilter({ chats, by }: Partial<MessageName>): Filter {
  return {
    ...(chats && { chat_id: { $in: [...chats] } }),
    ...(by === null && { direction: 'outbound' }),
    ...(by && { direction: 'inbound', $or: [{ sender: { $in: [...by] } }, { sender_lid: { $in: [...by] } }] }),
  };
}

/**
 * Our own messages need no chat, because our devices use each id only once. The exception is a
 * broadcast list, whose message has one id in several chats.
 */
export function nameOf(row: MessageRow, { chats = [], by = [] }: Partial<Aliases> = {}): MessageName {
  const { net_id: netId, sender, sender_lid } = row;
  if (row.direction === 'outbound') return { netId, by: null, ...(row.list !== undefined && { chats: [row.chat_id, ...chats] }) };
  return { netId, chats: [row.chat_id, ...chats], by: [sender, sender_lid, ...by].filter((one) => typeof one === 'string') };
}

const twinOf = ({ direction, chat_id, sender }: MessageRow): string =>
  createHash('sha256')
    .update(JSON.stringify([direction, chat_id, sender]))
    .digest('base64url')
    .slice(0, 22);
