import { at } from '../../../runtime/invariant.ts';
import type { Chats } from '../../../store/conversations/chats.ts';
import type { DeviceRow } from '../../../store/devices/devices.ts';
import type { Messages } from '../../../store/messaging/messages.ts';
import type { Keep } from '../../../store/paging/page.ts';
import { readSliced } from '../../../store/paging/read-sliced.ts';
import { refusal } from '../../domain/refusals.ts';
import type { IdentityResolver } from '../identities/identities.ts';

export interface VisibilityDeps {
  readonly chats: Pick<Chats, 'assignees' | 'assigneesOf'>;
  readonly messages: Pick<Messages, 'find'>;
  readonly people: Pick<IdentityResolver, 'resolve' | 'resolveAll'>;
}

/** An agent sees chats that are unassigned or assigned to them. */
export interface Visibility {
  /** Fails with NOT_FOUND for another agent's chat. A chat without messages is visible. */
  expectChat(seenBy: string | null, device: Pick<DeviceRow, '_id' | 'tenant_id'>, chatId: string): Promise<void>;
  expectMessage(seenBy: string | null, device: DeviceRow, messageId: string): Promise<void>;
  filter<T>(seenBy: string | null, device: DeviceRow, chatOf: (row: T) => string): Keep<T> | null;
  expectPerson(seenBy: string | null, tenantId: string, chatId: string): Promise<void>;
  filterPeople<T>(seenBy: string | null, tenantId: string, chatOf: (row: T) => string): Keep<T> | null;
}

export function createVisibility({ chats, messages, people }: VisibilityDeps): Visibility {
  async function keep<T>(
    seenBy: string,
    { tenant_id, _id }: DeviceRow,
    rows: readonly T[],
    chatOf: (row: T) => string,
  ): Promise<readonly T[]> {
    const named = await Promise.all(rows.map((row) => people.resolve(tenant_id, chatOf(row))));
    const assignees = new Map(await readSliced(tenant_id, named, (some) => chats.assignees(tenant_id, _id, some)));
    return rows.filter((_row, nth) => isVisible(seenBy, assignees.get(at(named, nth)) ?? null));
  }

  async function expectChat(
    seenBy: string | null,
    { tenant_id, _id }: Pick<DeviceRow, '_id' | 'tenant_id'>,
    chatId: string,
  ): Promise<void> {
    if (seenBy === null) return;
    const named = await people.resolve(tenant_id, chatId);
    const assignees = await chats.assignees(tenant_id, _id, [named]);
    if (!isVisible(seenBy, assignees.get(named) ?? null)) throw refusal('NOT_FOUND');
  }

  async function keepPeople<T>(seenBy: string, tenantId: string, rows: readonly T[], chatOf: (row: T) => string): Promise<readonly T[]> {
    const named = await people.resolveAll(tenantId, rows.map(chatOf));
    const assignees = await chats.assigneesOf(tenantId, named);
    return rows.filter((_row, nth) => assignees.get(at(named, nth))?.some((assignee) => isVisible(seenBy, assignee)));
  }

  return {
    expectChat,

    async expectPerson(seenBy, tenantId, chatId) {
      if (seenBy === null) return;
      const [visible] = await keepPeople(seenBy, tenantId, [chatId], (one) => one);
      if (visible === undefined) throw refusal('NOT_FOUND', { reason: NOT_VISIBLE });
    },

    filterPeople: (seenBy, tenantId, chatOf) => (seenBy === null ? null : (rows) => keepPeople(seenBy, tenantId, rows, chatOf)),

    async expectMessage(seenBy, device, messageId) {
      if (seenBy === null) return;
      const message = await messages.find(device.tenant_id, device._id, messageId);
      if (!message) throw refusal('NOT_FOUND');
      await expectChat(seenBy, device, message.chat_id);
    },

    filter: (seenBy, device, chatOf) => (seenBy === null ? null : (rows) => keep(seenBy, device, rows, chatOf)),
  };
}

const isVisible = (seenBy: string, assignee: string | null): boolean => assignee === null || assignee === seenBy;

const NOT_VISIBLE = { en: 'you cannot see any chat with this person', id: 'Anda tidak dapat melihat percakapan dengan orang ini' };

export const NOTHING_TO_HIDE: Pick<Visibility, 'expectChat' | 'expectMessage'> = {
  expectChat: async () => {},
  expectMessage: async () => {},
};
