import type { AccountFact } from './account.ts';
import type { ChannelFact } from './channels.ts';
import type { GroupFact } from './groups.ts';
import type { LabelFact } from './labels.ts';

/** What the network tells of an account beyond messages, by ability. Each becomes one event, for those who name it. */
export type NetworkFact = GroupFact | ChannelFact | AccountFact | LabelFact;
