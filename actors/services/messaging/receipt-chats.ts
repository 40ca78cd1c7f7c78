import { twinsOf } from '../../domain/numbers/twins.ts';
import { phoneOf, userJid } from '../../network/jid.ts';

/**
 * Under which addresses a message can be stored of which a receipt came from a chat: that one, the one that stands for it, and for a number its other
 * forms, because a number that was dialled in another form of its plan answers in its own.
 */

/** The address that stands for another one. */
export type Resolve = (address: string) => string | Promise<string>;

export async function addressesOfChats(chats: Iterable<string>, resolve: Resolve): Promise<ReadonlyMap<string, readonly string[]>> {
  const addresses = async (chat: string) => [chat, await resolve(chat), ...twinsOf(phoneOf(chat) ?? '').map(userJid)];
  return new Map(await Promise.all([...new Set(chats)].map(async (chat) => [chat, await addresses(chat)] as const)));
}
