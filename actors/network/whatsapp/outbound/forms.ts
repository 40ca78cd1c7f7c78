import type { ConnectionEvent } from '../../port.ts';
import type { Composed } from './compose.ts';

export interface Written {
  readonly to: string;
  readonly composed: Composed;
}

export interface SentBefore {
  readonly to: string;
  readonly composed: () => Promise<Composed | null>;
}

export type Acked = Extract<ConnectionEvent, { type: 'acked' }>;

export interface Addressed {
  readonly chat: string;
  readonly audience: readonly string[] | undefined;
}
