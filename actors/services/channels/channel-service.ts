import type { Clock } from '../../../runtime/clock.ts';
import type { ChannelIntent, ChannelIntents } from '../../../store/channels/channel-intents.ts';
import type { Channels } from '../../../store/channels/channels.ts';
import type { DeviceRow } from '../../../store/devices/devices.ts';
import { refusal } from '../../domain/refusals.ts';
import { type ChannelDraft, type ChannelRecord, isChannel, mayPost } from '../../network/channels.ts';
import { isOurLimit } from '../../network/network-refusal.ts';
import type { InputOf, QuestionName, ToldCaller } from '../../network/questions.ts';
import { NETWORK_CALL_MS } from '../messaging/idempotency.ts';

/**
 * Manages the channels of a device. store/channels/channels.ts keeps the last known channels, so
 * that the network is rarely queried. Invariant: repeating a call does not create a second channel.
 * For this, the call stores an intent, which stays open until the outcome is known
 * (store/channels/channel-intents.ts).
 */

type Asked = Pick<DeviceRow, '_id' | 'tenant_id' | 'phone_number'>;

export interface ChannelServiceDeps {
  readonly channels: Channels<ChannelRecord>;
  readonly channelIntents: ChannelIntents;
  readonly clock: Pick<Clock, 'now'>;
  ask<N extends QuestionName>(device: Asked, name: N, input: InputOf<N>): Promise<ToldCaller<N>>;
}

export interface ChannelService {
  keep(device: Asked, record: ChannelRecord, now: number): Promise<ChannelRecord>;
  list(device: Asked, now: number): Promise<readonly ChannelRecord[]>;
  forget(device: Asked, id: string): Promise<void>;
  muted(device: Asked, id: string, muted: boolean, now: number): Promise<void>;
  /** A repeat with the same key, or the same draft within an hour, returns the first call's channel. */
  create(device: Asked, draft: ChannelDraft, now: number, key?: string): Promise<ChannelRecord>;
  expectMayPost(device: Asked, chat: string, now: number): Promise<void>;
}

const REPEATED_MS = 3_600_000;
const SKEW_MS = 60_000;

const NOT_OURS = {
  en: 'only the owner and admins of a channel can post there',
  id: 'hanya pemilik dan admin saluran yang dapat mengirim di sana',
};
const UNDER_WAY = {
  en: 'a channel with this name is being created; check the list of channels before you try again',
  id: 'saluran dengan nama ini sedang dibuat; periksa daftar saluran sebelum mencoba lagi',
};

export function createChannelService({ channels, channelIntents: intents, clock, ask }: ChannelServiceDeps): ChannelService {
  async function keep(device: Asked, record: ChannelRecord, now: number): Promise<ChannelRecord> {
    const { id: channel_id, name } = record;
    if (record.role === null) await channels.remove(device, channel_id);
    else await channels.put(device, { channel_id, name, record, at: now });
    return record;
  }

  /** Returns the channel that an earlier call created, or null. Fails if that call may still be running. */
  async function madeBefore(device: Asked, before: ChannelIntent, now: number): Promise<ChannelRecord | null> {
    if (now - before.at < NETWORK_CALL_MS) throw refusal('CONFLICT', { reason: UNDER_WAY });
    const { name, at } = before;
    const taken = new Set((await intents.ofName(device._id, name)).map(({ made }) => made));
    const isIts = (one: ChannelRecord): boolean =>
      one.role === 'owner' && one.name === name && (one.createdAt ?? 0) >= at - SKEW_MS && !taken.has(one.id);
    const made = await firstOwn(device, isIts);
    if (!made) return null;
    await keep(device, made, now);
    await intents.made(before._id, at, made.id);
    return made;
  }

  async function firstOwn(device: Asked, fits: (one: ChannelRecord) => boolean): Promise<ChannelRecord | null> {
    try {
      return (await ask(device, 'channels.list', {})).find(fits) ?? null;
    } catch (cause) {
      const known = isOurLimit(cause) ? (await channels.of(device)).map(({ record }) => record).find(fits) : null;
      if (!known) throw cause;
      return known;
    }
  }

  async function stillThere(
    device: Asked,
    id: string,
    now: number,
    fits: (name: string) => boolean = () => true,
  ): Promise<ChannelRecord | null> {
    const row = await channels.find(device, id);
    if (row) return fits(row.name) ? row.record : null;
    // Ask the network, because a list without the new channel may have removed the channel's row.
    const told = (await ask(device, 'channels.list', {})).find((one) => one.id === id && one.role === 'owner' && fits(one.name));
    return told ? keep(device, told, now) : null;
  }

  async function settleOthers(device: Asked, name: string, id: string, now: number): Promise<readonly ChannelIntent[]> {
    const others = (await intents.ofName(device._id, name)).filter(({ _id }) => _id !== id);
    const open = others.filter(({ made }) => made === null);
    if (open.length === 0) return others;
    for (const one of open) if (!(await madeBefore(device, one, now))) await intents.end(one._id, one.at);
    return (await intents.ofName(device._id, name)).filter(({ _id }) => _id !== id);
  }

  async function madeFor(device: Asked, name: string, before: readonly ChannelIntent[], key: string | undefined, now: number) {
    for (const { made, at } of before) {
      if (made === null || (key === undefined && now - at >= REPEATED_MS)) continue;
      const there = await stillThere(device, made, now, (one) => key !== undefined || one === name);
      if (there) return there;
    }
    return null;
  }

  async function begunAnew(before: ChannelIntent, now: number): Promise<void> {
    if (!(await intents.renew(before, now))) throw refusal('CONFLICT', { reason: UNDER_WAY });
  }

  /** Whether the network rejected the request or never received it, so that the outcome is known. */
  const isSettled = (cause: unknown): boolean =>
    typeof cause === 'object' && cause !== null && 'code' in cause && !OPEN.has(String(cause.code));

  return {
    keep,

    async list(device, now) {
      try {
        const told = await ask(device, 'channels.list', {});
        for (const one of told) await keep(device, one, now);
        await channels.keepOnly(
          device,
          told.map(({ id }) => id),
          now,
        );
        return told;
      } catch (cause) {
        if (!isOurLimit(cause)) throw cause;
        return (await channels.of(device)).map(({ record }) => record);
      }
    },

    async forget(device, id) {
      await channels.remove(device, id);
      await intents.gone(device._id, id);
    },

    async muted(device, id, muted, now) {
      const kept = await channels.find(device, id);
      if (kept) await channels.change(kept, { record: { ...kept.record, muted }, name: kept.name, at: now });
    },

    async create(device, draft, now, key) {
      const { name } = draft;
      const _id = `${device._id}:${name}${key === undefined ? '' : `\n${key}`}`;
      const others = await settleOthers(device, name, _id, now);
      const theirs = key === undefined ? await madeFor(device, name, others, key, now) : null;
      if (theirs) return theirs;
      const before = await intents.begin({ _id, name, tenant_id: device.tenant_id, session_id: device._id, at: now });
      if (before) {
        const made = before.made ? await madeFor(device, name, [before], key, now) : await madeBefore(device, before, now);
        if (made) return made;
        await begunAnew(before, now);
      }
      const made = await ask(device, 'channels.create', draft).catch(async (cause: unknown) => {
        if (isSettled(cause)) await intents.end(_id, now);
        throw cause;
      });
      // If the store fails here, the next call finds the channel on the network.
      await keep(device, made, clock.now());
      await intents.made(_id, now, made.id);
      return made;
    },

    async expectMayPost(device, chat, now) {
      if (!isChannel(chat)) return;
      const known = await channels.find(device, chat);
      const record = known?.record ?? (await keep(device, await ask(device, 'channels.get', { id: chat }), now));
      if (!mayPost(record.role)) throw refusal('FORBIDDEN', { reason: NOT_OURS });
    },
  };
}

const OPEN: ReadonlySet<string> = new Set(['DEVICE_TIMEOUT', 'UNAVAILABLE', 'TIMED_OUT']);
