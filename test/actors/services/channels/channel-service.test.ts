import assert from 'node:assert/strict';
import { it } from 'node:test';
import { refusal } from '../../../../actors/domain/refusals.ts';
import type { ChannelRecord } from '../../../../actors/network/channels.ts';
import { createChannelService } from '../../../../actors/services/channels/channel-service.ts';
import { channelIntentsIn } from '../../../../store/channels/channel-intents.ts';
import { channelsIn } from '../../../../store/channels/channels.ts';
import { embedded } from '../../../support/stores.ts';

const NEWS: ChannelRecord = {
  id: '1@newsletter',
  name: 'News',
  description: null,
  role: 'owner',
  muted: false,
  followers: 0,
  code: 'abc',
  createdAt: 1_000,
};

it('a second channel with the same name is created only with another Idempotency-Key', async (t) => {
  const store = await embedded.fresh(t);
  const told: ChannelRecord[] = [];
  let isLost = false;
  const service = createChannelService({
    channelIntents: channelIntentsIn(store),
    channels: channelsIn<ChannelRecord>(store),
    clock: { now: () => 0 },
    ask: async (_device, name) => {
      if (name === 'channels.list') return told as never;
      told.push({ ...NEWS, id: `${told.length + 1}@newsletter`, createdAt: 1_000_000 });
      if (isLost) throw Object.assign(new Error('lost'), { code: 'DEVICE_TIMEOUT' });
      return told.at(-1) as never;
    },
  });
  const device = { _id: 'd1', tenant_id: 't1', phone_number: '62811' };
  const make = async (at: number, key?: string) =>
    (await service.create(device, { name: 'News', description: null }, 1_000_000 + at, key)).id;
  assert.equal(await make(0), '1@newsletter');
  assert.equal(await make(1), '1@newsletter');
  assert.equal(await make(2, 'one'), '2@newsletter', 'an own key means an own channel');
  assert.equal(await make(3, 'one'), '2@newsletter');
  assert.ok(['1@newsletter', '2@newsletter'].includes(await make(4)), 'who has no key gets what is there');
  isLost = true;
  await assert.rejects(make(5, 'two'), { code: 'DEVICE_TIMEOUT' });
  isLost = false;
  await assert.rejects(make(6, 'three'), { code: 'CONFLICT' });
  assert.equal(told.length, 3);
  assert.equal(await make(70_000, 'three'), '4@newsletter');
  assert.equal(await make(70_001, 'two'), '3@newsletter', 'its own, and not what was made after it');
  assert.equal(await make(7_200_000, 'two'), '3@newsletter', 'a key is good for a day');
  assert.equal(told.length, 4);
});

it('a channel that was created during a store failure is found, and is not created again', async (t) => {
  const store = await embedded.fresh(t);
  const channels = channelsIn<ChannelRecord>(store);
  const asked: string[] = [];
  let isBroken = true;
  const told: ChannelRecord[] = [NEWS];
  let now = 0;
  const service = createChannelService({
    channelIntents: channelIntentsIn(store),
    channels: {
      ...channels,
      put: (device, told) =>
        isBroken ? Promise.reject(Object.assign(new Error('not primary'), { code: 10_107 })) : channels.put(device, told),
    },
    clock: { now: () => now },
    ask: async (_device, name) => {
      asked.push(name);
      return (name === 'channels.list' ? told : NEWS) as never;
    },
  });
  const device = { _id: 'd1', tenant_id: 't1', phone_number: '62811' };
  const draft = { name: 'News', description: null };
  await assert.rejects(service.create(device, draft, 1_000), /not primary/);
  isBroken = false;
  await assert.rejects(service.create(device, draft, 2_000), { code: 'CONFLICT' });
  assert.deepEqual(await service.create(device, draft, 61_000), NEWS);
  assert.deepEqual(asked, ['channels.create', 'channels.list']);
  assert.deepEqual(await service.create(device, draft, 61_000), NEWS, 'its caller may not have heard of it');
  assert.deepEqual(asked.length, 2);
  await channels.remove(device, NEWS.id);
  assert.deepEqual(await service.create(device, draft, 61_500), NEWS, 'a row that is gone proves nothing');
  assert.deepEqual(asked.splice(2), ['channels.list']);
  await service.forget(device, NEWS.id);
  await service.create(device, draft, 62_000);
  assert.deepEqual(asked.slice(2), ['channels.create'], 'what was deleted is made anew');
  await service.create(device, draft, 62_000 + 3_600_000);
  assert.deepEqual(asked.slice(2), ['channels.create', 'channels.create'], 'an hour later another one is meant');

  told.length = 0;
  now = 62_000 + 3_660_000;
  await channels.remove(device, NEWS.id);
  await service.create(device, draft, 62_000 + 3_650_000);
  assert.deepEqual(asked.splice(4), ['channels.list', 'channels.create'], 'what the network has no more is made anew');
  await channels.keepOnly(device, [], now);
  assert.deepEqual(await service.create(device, draft, now + 1), NEWS, 'a list that was told while it was made took nothing away');
  assert.equal(asked.length, 4);
});

it('a channel creation with an unknown outcome blocks new ones until the network has listed the channels', async (t) => {
  const store = await embedded.fresh(t);
  const channels = channelsIn<ChannelRecord>(store);
  const asked: string[] = [];
  const answers: (() => unknown)[] = [];
  const service = createChannelService({
    channelIntents: channelIntentsIn(store),
    channels,
    clock: { now: () => 0 },
    ask: async (_device, name) => {
      asked.push(name);
      return answers.shift()?.() as never;
    },
  });
  const device = { _id: 'd1', tenant_id: 't1', phone_number: '62811' };
  const draft = { name: 'News', description: null };
  const refuses = (code: 'DEVICE_TIMEOUT' | 'RATE_LIMITED') => () => {
    throw refusal(code, { retryAfterMs: 60_000 });
  };
  answers.push(refuses('DEVICE_TIMEOUT'), refuses('RATE_LIMITED'), refuses('RATE_LIMITED'));
  await assert.rejects(service.create(device, draft, 1_000), { code: 'DEVICE_TIMEOUT' });
  await assert.rejects(service.create(device, draft, 61_000), { code: 'RATE_LIMITED' });
  await channels.put(device, { channel_id: NEWS.id, name: NEWS.name, record: NEWS, at: 61_000 });
  assert.deepEqual(await service.create(device, draft, 61_000), NEWS, 'told of meanwhile');
  assert.deepEqual(asked, ['channels.create', 'channels.list', 'channels.list']);
});
