import { networkRefusal } from '../network-refusal.ts';
import { accountAnswers } from './account-answers.ts';
import type { SandboxAnswers } from './answers.ts';
import { accountCapabilities, businessAnswers } from './business-answers.ts';
import { channelAnswers } from './channel-answers.ts';
import { accountTeller } from './fact-teller.ts';
import { type GroupWorld, groupAnswers } from './group-answers.ts';
import type { Inboxes } from './inboxes.ts';
import { labelAnswers } from './label-answers.ts';
import type { MarkedChats } from './marked-chats.ts';
import type { MessageRouting } from './message-routing.ts';
import type { PhoneHistory } from './phone-history.ts';
import type { Posts } from './posts.ts';
import type { SandboxDeps } from './sandbox-deps.ts';

interface Worlds {
  readonly post: MessageRouting;
  readonly groupWorld: GroupWorld;
  readonly posts: Posts;
  readonly inboxes: Inboxes;
  readonly marked: MarkedChats;
  readonly phoneHistory: PhoneHistory;
}

export function answersOf(sandboxDeps: SandboxDeps, { groupWorld, post, posts, inboxes, marked, phoneHistory }: Worlds): SandboxAnswers {
  const tell = accountTeller(sandboxDeps, inboxes);
  return {
    capabilities: ({ phone }) => ({
      groups: true,
      communities: true,
      channels: true,
      status: true,
      ...accountCapabilities(sandboxDeps, phone),
    }),
    ...groupAnswers(sandboxDeps, groupWorld),
    ...channelAnswers(sandboxDeps, posts),
    ...accountAnswers(sandboxDeps, inboxes, tell),
    ...businessAnswers(sandboxDeps, tell),
    ...labelAnswers(sandboxDeps, tell),
    ...marked.answers(),
    ...phoneHistory.answers(),
    'presence.set': (device, { isAvailable }) => {
      device.isAvailable = isAvailable;
      sandboxDeps.journal.note({ what: 'presence', phone: device.phone, reason: isAvailable ? 'available' : 'unavailable' });
      return null;
    },
    'timers.set': (device, { chat, seconds }) => {
      if (sandboxDeps.chatForms.of(device.phone).refusesChanges) throw networkRefusal(409);
      post.setTimer(device.phone, chat, seconds, device);
      return null;
    },
  };
}
