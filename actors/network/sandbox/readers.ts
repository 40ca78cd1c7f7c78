import { isChannel } from '../channels.ts';
import { STORIES } from '../jid.ts';
import { numberAt } from './addresses.ts';
import type { Act } from './protocol.ts';
import type { SandboxDeps } from './sandbox-deps.ts';

export interface Readers {
  readonly phones: readonly string[];
  readonly reason: string | null;
}

const nobody = (reason: string): Readers => ({ phones: [], reason });

interface Addressed {
  readonly to: string;
  readonly audience?: readonly string[];
  readonly act?: Act['kind'];
}

export function readersOf(sandboxDeps: SandboxDeps, from: string, addressed: Addressed): Readers {
  const { to, audience = [], act } = addressed;
  if (to.endsWith('@g.us')) return ofGroup(sandboxDeps, from, addressed);
  if (isChannel(to)) return act === 'reaction' ? ofReaction(sandboxDeps, from, to) : ofChannel(sandboxDeps, from, to);
  if (to === STORIES) return ofStatus(sandboxDeps, from, audience);
  const phone = numberAt(to);
  return phone && sandboxDeps.phones.isOnNetwork(phone) ? { phones: [phone], reason: null } : nobody('not_on_network');
}

/** Even if only admins may write in a group, other members can react to earlier messages. */
function ofGroup({ groups }: SandboxDeps, from: string, { to, act }: Addressed): Readers {
  const others = groups.othersIn(to, from);
  if (others && act === undefined && !groups.mayWrite(to, from)) return nobody('not_group_admin');
  return others ? { phones: others, reason: null } : nobody('not_in_group');
}

function ofChannel({ channels }: SandboxDeps, from: string, to: string): Readers {
  const phones = channels.followers(to);
  if (!phones) return nobody('not_on_network');
  return channels.isOwner(from, to) ? { phones, reason: null } : nobody('not_channel_admin');
}

/** Reactions to posts are counted, but not delivered to any phone. */
function ofReaction({ channels }: SandboxDeps, from: string, to: string): Readers {
  const isThere = channels.of(from).some(({ id }) => id === to);
  return isThere ? { phones: [], reason: null } : nobody('not_on_network');
}

function ofStatus({ phones }: SandboxDeps, from: string, audience: readonly string[]): Readers {
  const digits = audience.flatMap((address) => numberAt(address) ?? []).filter((one) => one !== from && phones.isOnNetwork(one));
  return digits.length > 0 ? { phones: [...new Set(digits)], reason: null } : nobody('no_audience');
}
