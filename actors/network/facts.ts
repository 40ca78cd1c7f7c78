import type { AccountFact } from './account.ts';
import type { ChannelFact } from './channels.ts';
import type { GroupFact } from './groups.ts';
import type { LabelFact } from './labels.ts';

export type NetworkFact = GroupFact | ChannelFact | AccountFact | LabelFact;
