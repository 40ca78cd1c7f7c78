import Joi from 'joi';
import { refusal } from '../../../actors/domain/refusals.ts';
import { type ChannelPost, type ChannelRecord, mayPost } from '../../../actors/network/channels.ts';
import type { ChannelService } from '../../../actors/services/channels/channel-service.ts';
import { toChannel } from '../../../actors/services/channels/shown.ts';
import { actOnce, keyFrom, NETWORK_CALL_MS } from '../../../actors/services/messaging/idempotency.ts';
import type { People } from '../../../actors/services/people/people.ts';
import type { IdempotencyKeys } from '../../../store/messaging/idempotency.ts';
import type { Messages } from '../../../store/messaging/messages.ts';
import { fitting } from '../../../store/paging/page.ts';
import { type Area, type Caller, type DeviceCall, rowsFor } from '../../core/row.ts';
import { Done } from '../../core/schemas.ts';
import { nextInList } from '../../core/whole-lists.ts';
import { type AskingServices, askNetwork, NETWORK_REFUSALS } from '../network-features/ask.ts';
import { type PictureServices, storedPicture } from '../network-features/picture.ts';
import { inSession } from '../params.ts';
import { type ChannelBody, ChannelSchema, CreateChannel, FollowerSchema, inChannel, PostSchema, UpdateChannel } from './schemas.ts';

export interface ChannelServices extends AskingServices, PictureServices {
  readonly channelService: ChannelService;
  readonly persons: People;
  readonly messages: Pick<Messages, 'ours'>;
  readonly idempotency: IdempotencyKeys;
}

const row = rowsFor<ChannelServices>();

const CHANNELS = '/v1/sessions/{sessionId}/channels';
const CHANNEL = '/v1/sessions/{sessionId}/channels/{channelId}';
const change = (verb: string) => ({ action: `channel.${verb}` }) as const;

type AtChannel = DeviceCall<{ channelId: string }, unknown, unknown>;

const Limit = Joi.number().integer().min(1).max(200).default(50);

export const channels: Area<ChannelServices> = {
  name: 'channels',
  about:
    'Channels that a device owns or follows. Texts, files, polls, edits and deletions are messages with the channel as `chat_id`; only owners and admins may send them',
  rows: [
    row({
      id: 'listChannels',
      list: { of: 'channels', by: ['id'] },
      method: 'GET',
      path: CHANNELS,
      summary: 'List channels',
      about:
        'List channels by name. The list is fetched from the network once a minute; between fetches, events from the network keep it up to date',
      access: 'bearer',
      deviceKeys: true,
      params: inSession,
      query: Joi.object<{ role?: 'owner' | 'admin' | 'follower' }>({ role: Joi.string().valid('owner', 'admin', 'follower') }),
      status: 200,
      returns: Joi.object({ ...nextInList, channels: Joi.array().items(ChannelSchema).required() }),
      refuses: NETWORK_REFUSALS,
      async run(services, { device, query, now }) {
        const all = await services.channelService.list(device, now);
        const asked = all.filter(({ role }) => query.role === undefined || role === query.role);
        return { channels: asked.toSorted((one, other) => one.name.localeCompare(other.name)).map(toChannel) };
      },
    }),
    row({
      id: 'createChannel',
      method: 'POST',
      path: CHANNELS,
      summary: 'Create a channel',
      about:
        'Create a channel. This accepts the network’s terms for channels. If the response was lost, the same call finds the channel later. Repeating a call within an hour returns the channel that it created. To create a second channel with the same name, use a different Idempotency-Key. After DEVICE_TIMEOUT the channel may exist: check the list first',
      access: 'bearer',
      deviceKeys: true,
      audit: change('create'),
      stepUp: { none: 'as on the phone; deletes no stored data' },
      params: inSession,
      headers: ['idempotency-key'],
      body: CreateChannel,
      status: 201,
      returns: ChannelSchema,
      refuses: NETWORK_REFUSALS,
      async run(services, { caller, device, body, sent, header, now }) {
        const picture = await pictureOf(services, caller, body);
        const draft = { name: body.name, description: body.description || null, ...(picture !== null && { picture }) };
        const key = keyFrom(header('idempotency-key'));
        const asked = { key, tenantId: caller.tenantId, request: ['channels', device._id, sent], takesMs: NETWORK_CALL_MS };
        const make = () => services.channelService.create(device, draft, now, key);
        return toChannel((await actOnce(services, asked, now, make)).answer);
      },
    }),
    row({
      id: 'getChannel',
      method: 'GET',
      path: CHANNEL,
      summary: 'Get a channel',
      about: 'Get a channel, even one that this device does not follow',
      access: 'bearer',
      deviceKeys: true,
      params: inChannel,
      status: 200,
      returns: ChannelSchema,
      refuses: NETWORK_REFUSALS,
      run: async (services, call) => toChannel(await found(services, call)),
    }),
    row({
      id: 'updateChannel',
      method: 'PATCH',
      path: CHANNEL,
      summary: 'Update a channel',
      access: 'bearer',
      deviceKeys: true,
      audit: change('update'),
      stepUp: { none: 'as on the phone; deletes no stored data' },
      params: inChannel,
      body: UpdateChannel,
      status: 200,
      returns: ChannelSchema,
      refuses: NETWORK_REFUSALS,
      async run(services, call) {
        const { caller, device, params, body, now } = call;
        await expectOurs(services, call);
        const changed = changesOf(body, await pictureOf(services, caller, body));
        const record = await askNetwork(services, device, 'channels.update', { id: params.channelId, ...changed });
        return toChannel(await services.channelService.keep(device, record, now));
      },
    }),
    row({
      id: 'deleteChannel',
      method: 'DELETE',
      path: CHANNEL,
      summary: 'Delete a channel',
      about: 'Permanently delete a channel for everyone. Only its owner can do this',
      access: 'bearer',
      deviceKeys: true,
      audit: change('delete'),
      stepUp: { none: 'as on the phone; deletes no stored data' },
      params: inChannel,
      status: 200,
      returns: Done,
      refuses: NETWORK_REFUSALS,
      async run(services, call) {
        await expectOurs(services, call);
        await askNetwork(services, call.device, 'channels.delete', { id: call.params.channelId });
        await services.channelService.forget(call.device, call.params.channelId);
        return { ok: true as const };
      },
    }),
    row({
      id: 'getChannelByInvite',
      method: 'GET',
      path: `${CHANNELS}/invite/{code}`,
      summary: 'Preview a channel',
      about: 'Preview a channel by the code of its invite link, or by the whole link, URL-encoded',
      access: 'bearer',
      deviceKeys: true,
      params: inSession.keys({ code: Joi.string().min(1).max(256).required().example('0029VaAcmeNews') }),
      status: 200,
      returns: ChannelSchema,
      refuses: NETWORK_REFUSALS,
      async run(services, { device, params }) {
        const code = params.code.replace(/^https:\/\/(www\.)?whatsapp\.com\/channel\//, '');
        return toChannel(await askNetwork(services, device, 'channels.byCode', { code }));
      },
    }),
    row({
      id: 'followChannel',
      method: 'POST',
      path: `${CHANNEL}/follow`,
      summary: 'Follow a channel',
      access: 'bearer',
      deviceKeys: true,
      audit: change('follow'),
      stepUp: { none: 'as on the phone; deletes no stored data' },
      params: inChannel,
      status: 200,
      returns: ChannelSchema,
      refuses: NETWORK_REFUSALS,
      async run(services, { device, params, now }) {
        const record = await askNetwork(services, device, 'channels.follow', { id: params.channelId });
        return toChannel(await services.channelService.keep(device, record, now));
      },
    }),
    row({
      id: 'unfollowChannel',
      method: 'POST',
      path: `${CHANNEL}/unfollow`,
      summary: 'Unfollow a channel',
      access: 'bearer',
      deviceKeys: true,
      audit: change('unfollow'),
      stepUp: { none: 'as on the phone; deletes no stored data' },
      params: inChannel,
      status: 200,
      returns: Done,
      refuses: NETWORK_REFUSALS,
      async run(services, { device, params }) {
        await askNetwork(services, device, 'channels.unfollow', { id: params.channelId });
        await services.channelService.forget(device, params.channelId);
        return { ok: true as const };
      },
    }),
    row({
      id: 'muteChannel',
      method: 'POST',
      path: `${CHANNEL}/mute`,
      summary: 'Mute a channel',
      access: 'bearer',
      deviceKeys: true,
      audit: change('mute'),
      stepUp: { none: 'as on the phone; deletes no stored data' },
      params: inChannel,
      status: 200,
      returns: Done,
      refuses: NETWORK_REFUSALS,
      run: (services, call) => setMuted(services, call, true),
    }),
    row({
      id: 'unmuteChannel',
      method: 'POST',
      path: `${CHANNEL}/unmute`,
      summary: 'Unmute a channel',
      access: 'bearer',
      deviceKeys: true,
      audit: change('unmute'),
      stepUp: { none: 'as on the phone; deletes no stored data' },
      params: inChannel,
      status: 200,
      returns: Done,
      refuses: NETWORK_REFUSALS,
      run: (services, call) => setMuted(services, call, false),
    }),
    row({
      id: 'listChannelMessages',
      method: 'GET',
      path: `${CHANNEL}/messages`,
      summary: 'List channel posts',
      about: 'List posts with their current views and reactions, newest first. `before` is the `server_id` to continue from',
      access: 'bearer',
      deviceKeys: true,
      params: inChannel,
      query: Joi.object<{ limit: number; before?: string }>({ limit: Limit, before: Joi.string().pattern(/^\d{1,20}$/) }),
      status: 200,
      returns: Joi.object({
        messages: Joi.array().items(PostSchema).required(),
        next_before: Joi.string().allow(null).required().example(null),
      }),
      refuses: NETWORK_REFUSALS,
      async run(services, { device, params, query }) {
        const { limit, before = null } = query;
        const posts = await askNetwork(services, device, 'channels.posts', { id: params.channelId, limit, before });
        const messages = await Promise.all(posts.map((post) => shown(services, device._id, post)));
        const page = fitting(messages);
        const isLast = page.length === messages.length && posts.length < limit;
        return { messages: page, next_before: isLast ? null : (page.at(-1)?.server_id ?? null) };
      },
    }),
    row({
      id: 'listChannelFollowers',
      method: 'GET',
      path: `${CHANNEL}/followers`,
      summary: 'List channel followers',
      about: 'List the followers that the network shows to the owner and admins',
      access: 'bearer',
      deviceKeys: true,
      params: inChannel,
      query: Joi.object<{ limit: number }>({ limit: Limit }),
      status: 200,
      returns: Joi.object({ followers: Joi.array().items(FollowerSchema).required() }),
      refuses: NETWORK_REFUSALS,
      async run(services, { caller, device, params, query }) {
        const all = await askNetwork(services, device, 'channels.followers', { id: params.channelId, limit: query.limit });
        const followers = await services.persons.describe(caller.tenantId, all);
        return { followers: followers.map(({ phone, lid, username, name, role }) => ({ phone, lid, username, name, role })) };
      },
    }),
  ],
};

async function pictureOf(services: ChannelServices, caller: Caller, { picture }: Partial<ChannelBody>): Promise<string | null> {
  return picture === undefined ? null : (await storedPicture(services, caller, picture, 'picture')).base64;
}

async function found(services: ChannelServices, { device, params, now }: AtChannel): Promise<ChannelRecord> {
  return services.channelService.keep(device, await askNetwork(services, device, 'channels.get', { id: params.channelId }), now);
}

async function expectOurs(services: ChannelServices, call: AtChannel): Promise<void> {
  if (!mayPost((await found(services, call)).role)) throw refusal('FORBIDDEN');
}

function changesOf({ name, description }: Partial<ChannelBody>, picture: string | null) {
  return {
    ...(name !== undefined && { name }),
    ...(description !== undefined && { description: description || null }),
    ...(picture !== null && { picture }),
  };
}

async function setMuted(services: ChannelServices, { device, params, now }: AtChannel, muted: boolean): Promise<{ ok: true }> {
  await askNetwork(services, device, 'channels.mute', { id: params.channelId, muted });
  await services.channelService.muted(device, params.channelId, muted, now);
  return { ok: true };
}

async function shown({ messages }: ChannelServices, sessionId: string, post: ChannelPost) {
  const { serverId: server_id, netId, type, body, views, reactions, at: created_at } = post;
  const known = netId === null ? null : await messages.ours(sessionId, netId);
  return { message_id: known?._id ?? null, server_id, type, body, views, reactions, created_at };
}
