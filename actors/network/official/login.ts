import type { Dispatcher } from 'undici';
import type { Clock } from '../../../runtime/clock.ts';
import type { NumberTrouble } from '../../domain/official-troubles.ts';
import type { GraphAddress } from './graph-client.ts';
import type { Move } from './incoming.ts';

/** One check of the connection; `fix` is the step that repairs it, null when the check passed. */
export interface OfficialCheck {
  readonly name: string;
  readonly ok: boolean;
  readonly fix: string | null;
}

export interface OfficialHealth {
  readonly quality?: string | null;
  /** Maximum number of new people within 24 hours; null: no limit. */
  readonly tier?: number | null;
  readonly can_send?: boolean;
  readonly token_expires_at?: number | null;
  readonly checks?: readonly OfficialCheck[];
  readonly currency?: string;
  /** Pauses the number's campaigns; null ends the pause. */
  readonly trouble?: { readonly reason: NumberTrouble; readonly at: number } | null;
}

/** A message's price. `id`: our message id; null if the platform reports only its own id (`wamid`). */
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
  /** Returns the content, without people who were erased after the webhook arrived. */
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
  /** Returns stored webhooks, oldest first. `hooksDone` records that their content is stored elsewhere. */
  hooks(limit: number): Promise<readonly StoredHook[]>;
  hooksDone(ids: readonly string[]): Promise<void>;
  note(health: OfficialHealth): Promise<void>;
  /**
   * Records that a status proved that the message was sent. Resolves to true if the message now has
   * this network id.
   */
  prove(id: string, attempt: number, netId: string, at: number): Promise<boolean>;
  /** Returns the local address of a person without a number; `personAt` is the reverse (null if unknown). */
  aliasOf(businessScopedId: string): Promise<string>;
  /** Returns the local address, or null if the person has none yet. */
  knownAlias(businessScopedId: string): Promise<string | null>;
  personAt(alias: string): Promise<string | null>;
  /** Joins a person's former and new address after a move. An older move is ignored. Idempotent. */
  moved(move: Move): Promise<void>;
  prefers(address: string, wantsMarketing: boolean, at: number): Promise<void>;
  /** Stores the account's templates as the platform lists them now: all (null), or those with one name. */
  syncTemplates(name: string | null): Promise<void>;
  /** Records the price that the platform reported with a message's status. The first report counts. */
  priced(price: ReportedPrice): Promise<void>;
  /** Counts a person reached outside their window. Returns the wait in ms; 0 if the message may be sent now. */
  reach(chat: string): Promise<number>;
  held(id: string): Promise<void>;
  isOpen(chat: string): Promise<boolean>;
  /** Records that the platform reported at `at` that free text may not be sent to this person. */
  windowClosed(address: string, at: number): Promise<void>;
}
