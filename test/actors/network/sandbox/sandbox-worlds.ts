import type { TestContext } from 'node:test';
import type { ChatMarkName, ChatMarkValue } from '../../../../actors/network/chat-marks.ts';
import type { Network } from '../../../../actors/network/port.ts';
import type { MarkAct } from '../../../../actors/network/sandbox/marked-chats.ts';
import { connectSandbox } from '../../../../actors/network/sandbox/remote-sandbox.ts';
import { createSandbox, type Sandbox } from '../../../../actors/network/sandbox/sandbox.ts';
import { type SandboxServer, serveSandbox } from '../../../../actors/network/sandbox/server.ts';
import { seededRandom } from '../../../../runtime/random.ts';
import { VirtualClock } from '../../../../runtime/testing/virtual-clock.ts';
import { credentialFor } from '../passkeys.ts';
import type { Person, World } from '../world.ts';

export interface SandboxServices extends World {
  readonly clock: VirtualClock;
  readonly sandbox: Sandbox;
}

export interface RemoteWorld extends SandboxServices {
  readonly server: SandboxServer;
}

const aSandbox = (clock: VirtualClock, seed = 7): Sandbox => createSandbox({ clock, random: seededRandom(seed) });

/** The sandbox inside the test's own process, on virtual time. */
export async function inProcess(): Promise<SandboxServices> {
  const clock = new VirtualClock();
  const sandbox = aSandbox(clock);
  return worldOf(clock, sandbox, sandbox.network());
}

/** The sandbox behind a real loopback connection, both ends on the same virtual time. */
export async function remote(t: TestContext): Promise<RemoteWorld> {
  const clock = new VirtualClock();
  const sandbox = aSandbox(clock);
  const server = await serveSandbox(sandbox);
  const network = connectSandbox({ url: server.url, clock });
  t.after(async () => {
    await network.shutdown();
    await server.close();
  });
  return { ...worldOf(clock, sandbox, network), server };
}

function worldOf(clock: VirtualClock, sandbox: Sandbox, network: Network): SandboxServices {
  return {
    clock,
    sandbox,
    network,
    hasPasskeys: true,
    phone: (digits) => personOf(sandbox, digits),
    fault: async (digits, kind, forMs) => sandbox.device(digits).fault({ kind, ...(forMs !== undefined && { forMs }) }),
    group: async (members) => sandbox.createGroup(members),
    pass: (ms) => clock.advance(ms),
  };
}

function personOf(sandbox: Sandbox, digits: string): Person {
  const phone = sandbox.phone(digits);
  return {
    shows: async () => phone.messages().toReversed(),
    remembers: async (chat, lines) =>
      sandbox.device(digits).remembers(lines.map(({ text: body, isOurs: from_me, at }) => ({ chat, from_me, body, at }))),
    writes: async (to, body) => phone.write({ to, content: { type: 'text', body } }).netId,
    scans: async (shown) => phone.scan(shown),
    is: async (changes) => phone.set(changes),
    does: async (to, target, act) => phone.do({ to, target, act }).netId,
    looksAt: async (chat) => void phone.look(chat),
    setsGroup: async (id, change) => void phone.act({ act: 'set_group', id, ...change }),
    follows: async (code) => void phone.act({ act: 'follow', code }),
    plays: async (message_id) => void phone.act({ act: 'play', message_id }),
    views: async (message_id) => void phone.act({ act: 'view', message_id }),
    reactsTo: async (message_id, emoji) => void phone.act({ act: 'react', message_id, emoji }),
    calls: async (to, { video = false, group } = {}) =>
      phone.act({ act: 'call', to, video, ...(group !== undefined && { group_id: group }) }).id ?? '',
    answersCall: async (_from, call_id) => void phone.act({ act: 'answer', call_id }),
    endsCall: async (_to, call_id, isMissed) => void phone.act({ act: isMissed ? 'miss' : 'hang_up', call_id }),
    rings: async (callId) => phone.calls().some(({ id, state }) => id === callId && state === 'ringing'),
    marksChat: async (chat, name, value) => void phone.act(markAct(chat, name, value)),
    changesView: async (kind, { chat, netId }) =>
      void phone.act({ act: kind === 'removed' ? 'delete_for_me' : 'star', chat, message_id: netId, on: kind !== 'unstarred' }),
    saves: async (who, savedAs) => sandbox.phone(who).set({ savedAs }),
    clears: async (chat) => void phone.act({ act: 'clear', chat }),
    marked: async () => sandbox.device(digits).marks(),
    types: async (to, state) => void phone.act({ act: 'typing', to, state }),
    appears: async () => (sandbox.device(digits).isAvailable() ? 'available' : 'unavailable'),
    presences: async () => phone.presences(),
    // Its person does not drive the phone: it confirms by itself.
    signs: async ({ challenge }) => credentialFor(challenge),
    async marks(netId) {
      const { reactions, body, deleted, seenBy } = phone.receipts(netId);
      return { reactions: Object.fromEntries(reactions), body, deleted, seenBy: [...seenBy] };
    },
  };
}

function markAct(chat: string, name: ChatMarkName, value: ChatMarkValue): MarkAct {
  switch (name) {
    case 'archived':
      return { act: 'archive', chat, on: value === true };
    case 'pinned':
      return { act: 'pin', chat, on: value === true };
    case 'unread':
      return { act: value === true ? 'mark_unread' : 'mark_read', chat };
    default:
      return { act: 'mute', chat, on: value !== null, ...(typeof value === 'number' && { until: value }) };
  }
}
