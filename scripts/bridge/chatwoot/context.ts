import type { MediaFetcher } from '../../../actors/services/media/fetcher.ts';
import type { Clock } from '../../../runtime/clock.ts';
import type { GatewayClient } from '../../client/client.ts';
import type { ChatwootApi } from './api.ts';
import type { BridgeState } from './state.ts';

/** Shared dependencies of all parts of the bridge. */

export interface Gateway extends Pick<GatewayClient, 'call' | 'pages'> {
  /** Resolves to null if the file has been removed or exceeds the limit. */
  file(message: string): Promise<Blob | null>;
}

export interface Settings {
  readonly account: number;
  readonly inbox: number;
  readonly session: string;
  readonly isSigned: boolean;
  /** Time in ms during which Chatwoot may still execute a request whose response was lost. */
  readonly settleMs: number;
}

export interface Bridge {
  readonly settings: Settings;
  readonly state: BridgeState;
  readonly chatwoot: ChatwootApi;
  readonly gateway: Gateway;
  readonly files: MediaFetcher;
  readonly clock: Clock;
  say(line: string): void;
}

/** A job as it is stored in the state file, which contains ids but no content. */
export type Work =
  | { readonly kind: 'received'; readonly message: string }
  | { readonly kind: 'sent'; readonly message: string }
  | { readonly kind: 'deleted'; readonly message: string }
  | { readonly kind: 'edited'; readonly message: string; readonly event: string }
  | { readonly kind: 'status'; readonly message: string; readonly status: 'sent' | 'delivered' | 'read' | 'failed' }
  | { readonly kind: 'reaction'; readonly message: string; readonly target: string }
  | { readonly kind: 'label'; readonly chat: string; readonly label: string; readonly isOn: boolean }
  | { readonly kind: 'look'; readonly conversation: number }
  | { readonly kind: 'changed'; readonly conversation: number; readonly cw: number }
  | { readonly kind: 'forget' };

export type WorkOf<Kind extends Work['kind']> = Extract<Work, { readonly kind: Kind }>;

/** Marks messages that the bridge itself wrote into Chatwoot. */
export const OWN = 'gw:';
