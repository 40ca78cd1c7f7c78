import type { AccountFact } from './account.ts';
import type { ChannelFact } from './channels.ts';
import type { GroupFact } from './groups.ts';
import type { LabelFact } from './labels.ts';

/** Changes that the network reports besides messages. Each becomes one event. */
export type NetworkFact = GroupFact | ChannelFact | AccountFact | LabelFact;
