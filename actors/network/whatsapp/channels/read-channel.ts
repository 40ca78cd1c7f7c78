import type { ChannelFollower, ChannelRecord, ChannelRole } from '../../channels.ts';
import { personAt } from '../../person.ts';
import { type Fields, isObject } from '../mex/read-mex.ts';

const ROLES: ReadonlyMap<string, ChannelRole> = new Map([
  ['OWNER', 'owner'],
  ['ADMIN', 'admin'],
  ['SUBSCRIBER', 'follower'],
]);

/** Reads a channel from the network's format, in which numbers are strings and fields may be missing. */
export function readChannel(told: unknown, role: ChannelRole = null): ChannelRecord | null {
  if (!isObject(told) || typeof told['id'] !== 'string') return null;
  const thread = fieldsIn(told, 'thread_metadata');
  const viewer = fieldsIn(told, 'viewer_metadata');
  const created = Number(thread['creation_time'] ?? Number.NaN) * 1_000;
  return {
    id: told['id'],
    name: textIn(thread, 'name') ?? '',
    description: textIn(thread, 'description') || null,
    role: typeof viewer['role'] === 'string' ? (ROLES.get(viewer['role']) ?? null) : role,
    muted: isMuted(viewer),
    followers: Number(thread['subscribers_count'] ?? 0) || 0,
    code: typeof thread['invite'] === 'string' ? thread['invite'] : null,
    createdAt: Number.isFinite(created) ? created : null,
  };
}

/** Whether a channel was deleted. The network keeps reporting deleted channels for a while. */
export function isGone(told: unknown): boolean {
  return isObject(told) && fieldsIn(told, 'state')['type'] === 'DELETED';
}

export function stateOf(told: unknown): string | null {
  const type = isObject(told) ? fieldsIn(told, 'state')['type'] : null;
  return typeof type === 'string' ? type.toLowerCase() : null;
}

function isMuted(viewer: Fields): boolean {
  if (viewer['mute'] === 'ON') return true;
  const settings = Array.isArray(viewer['settings']) ? viewer['settings'] : [];
  return settings.some((each) => isObject(each) && /MUTE.*FOLLOWER|FOLLOWER.*MUTE/.test(String(each['type'])) && each['value'] === 'ON');
}

export function readFollower(edge: unknown): ChannelFollower | null {
  const node = isObject(edge) ? (isObject(edge['node']) ? edge['node'] : edge) : {};
  const lid = typeof node['id'] === 'string' ? node['id'] : null;
  const pn = typeof node['pn'] === 'string' ? node['pn'] : typeof node['phone_number'] === 'string' ? node['phone_number'] : null;
  const address = lid ?? pn;
  if (address === null) return null;
  const role = ROLES.get(String(isObject(edge) ? (edge['role'] ?? node['role']) : '')) ?? 'follower';
  const name = typeof node['display_name'] === 'string' ? node['display_name'] : null;
  return { ...personAt(address, lid === null ? null : pn, name), role };
}

const fieldsIn = (told: Fields, name: string): Fields => (isObject(told[name]) ? told[name] : {});

function textIn(thread: Fields, name: string): string | null {
  const value = thread[name];
  if (typeof value === 'string') return value;
  const text = isObject(value) ? value['text'] : null;
  return typeof text === 'string' ? text : null;
}
