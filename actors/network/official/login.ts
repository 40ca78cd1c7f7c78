import type { Dispatcher } from 'undici';
import type { Clock } from '../../../runtime/clock.ts';
import type { NumberTrouble } from '../../domain/official-troubles.ts';
import type { GraphAddress } from './graph-client.ts';
import type { Move } from './incoming.ts';

export interface OfficialCheck {
  readonly name: string;
  readonly ok: boolean;
  readonly fix: string | null;
}

export interface OfficialHealth {
  readonly quality?: string | null;
  /** Maximum number of new people to contact within 24 hours; null if unlimited. */
  readonly tier?: number | null;
  readonly can_send?: boolean;
  readonly token_expires_at?: number | null;
  readonly checks?: readonly OfficialCheck[];
  readonly currency?: string;
  readonly trouble?: { readonly reason: NumberTrouble; readonly at: number } | null;
}

/** `id` is null if the platform reports only its own id (`wamid`). */
export interface ReportedPrice {
  readonly id: string | null;
  readonly wamid: string;
  readonly category: string;
  readonly type: string;
  readonly billable: boolean;
  readonly phone: string | null;
  readonly userId: string | null;
  readonly at: number;
}

export interface HookChange {
  readonly field: string;
  readonly value: unknown;
}

export interface StoredHook {
  readonly id: string;
  /** Leaves out changes that concern people who have been erased since the webhook arrived. */
  changes(): Promise<readonly HookChange[]>;
}

export interface OfficialLogin {
  readonly sessionId: string;
  readonly address: GraphAddress;
  readonly dispatcher: Dispatcher;
  readonly clock: Clock;
  readonly phoneNumberId: string;
  readonly wabaId: string;
  readonly appId: string;
  readonly appSecret: string;
  readonly token: string;
  readonly pin: string | null;
  readonly callbackUrl: string;
  readonly verifyToken: string;
  hooks(limit: number): Promise<readonly StoredHook[]>;
  hooksDone(ids: readonly string[]): Promise<void>;
  note(health: OfficialHealth): Promise<void>;
  /** A reported status proves that a message was sent. Returns true if it now has this network id. */
  prove(id: string, attempt: number, netId: string, at: number): Promise<boolean>;
  aliasOf(businessScopedId: string): Promise<string>;
  knownAlias(businessScopedId: string): Promise<string | null>;
  personAt(alias: string): Promise<string | null>;
  /** Joins a person's former and new address. Ignored if a newer move is known. Idempotent. */
  moved(move: Move): Promise<void>;
  prefers(address: string, wantsMarketing: boolean, at: number): Promise<void>;
  syncTemplates(name: string | null): Promise<void>;
  /** Stores the price of a message. Only the first report for a message counts. */
  priced(price: ReportedPrice): Promise<void>;
  /** Counts a person messaged outside the customer service window. Returns how long to wait, in ms. */
  reach(chat: string): Promise<number>;
  held(id: string): Promise<void>;
  isOpen(chat: string): Promise<boolean>;
  windowClosed(address: string, at: number): Promise<void>;
}
