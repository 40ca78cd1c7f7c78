import type { Chats } from '../../store/chats.ts';
import type { DeviceRow } from '../../store/devices.ts';
import type { Messages } from '../../store/messages.ts';
import type { Keep } from '../../store/page.ts';
import type { People } from '../people/people.ts';
import { refusal } from '../refusals.ts';

export interface SightPorts {
  readonly chats: Pick<Chats, 'assignees'>;
  readonly messages: Pick<Messages, 'find'>;
  readonly people: Pick<People, 'canonical'>;
}

/**
 * What an agent sees (api.md "Inbox"): chats assigned to them or to nobody, and the messages of these. `seenBy` is the agent, or null for eyes
 * that see everything. A chat is the same one by whichever address of its person it is named.
 */
export interface Sight {
  /** Refuses NOT_FOUND for the chat of another agent. `chatId` is a full address; one that was never written to is in sight. */
  expectChat(seenBy: string | null, device: DeviceRow, chatId: string): Promise<void>;
  /** Refuses NOT_FOUND, also where there is no such message. */
  expectMessage(seenBy: string | null, device: DeviceRow, messageId: string): Promise<void>;
  /** Which records about chats of a device are in sight, `chatOf` being the full address of each; null: all. */
  sieve<T>(seenBy: string | null, device: DeviceRow, chatOf: (row: T) => string): Keep<T> | null;
}

export function createSight({ chats, messages, people }: SightPorts): Sight {
  async function keep<T>(
    seenBy: string,
    { tenant_id, _id }: DeviceRow,
    rows: readonly T[],
    chatOf: (row: T) => string,
  ): Promise<readonly T[]> {
    const named = await Promise.all(rows.map((row) => people.canonical(tenant_id, chatOf(row))));
    const assignees = await chats.assignees(tenant_id, _id, named);
    return rows.filter((_row, nth) => isInSight(seenBy, assignees.get(named[nth]!) ?? null));
  }

  async function expectChat(seenBy: string | null, { tenant_id, _id }: DeviceRow, chatId: string): Promise<void> {
    if (seenBy === null) return;
    const named = await people.canonical(tenant_id, chatId);
    const assignees = await chats.assignees(tenant_id, _id, [named]);
    if (!isInSight(seenBy, assignees.get(named) ?? null)) throw refusal('NOT_FOUND');
  }

  return {
    expectChat,

    async expectMessage(seenBy, device, messageId) {
      if (seenBy === null) return;
      const message = await messages.find(device.tenant_id, device._id, messageId);
      if (!message) throw refusal('NOT_FOUND');
      await expectChat(seenBy, device, message.chat_id);
    },

    sieve: (seenBy, device, chatOf) => (seenBy === null ? null : (rows) => keep(seenBy, device, rows, chatOf)),
  };
}

/** Whoever a chat is assigned to, an agent sees it when that is them or nobody. */
const isInSight = (seenBy: string, assignee: string | null): boolean => assignee === null || assignee === seenBy;

/** Of a server without chats. */
export const NOTHING_TO_HIDE: Pick<Sight, 'expectChat' | 'expectMessage'> = { expectChat: async () => {}, expectMessage: async () => {} };
