import type { Dispatcher } from 'undici';
import type { Clock } from '../../../runtime/clock.ts';
import type { GraphAddress } from './graph-client.ts';

/** What the driver of an official number needs of the gateway: its keys, its webhooks as they were stored, and where it notes what it learned. */

/** One check of the connection; `fix` is what to do where it is not ok. */
export interface OfficialCheck {
  readonly name: string;
  readonly ok: boolean;
  readonly fix: string | null;
}

/** What the platform says of a number. */
export interface OfficialHealth {
  readonly quality?: string | null;
  /** New people within 24 hours; null: no limit. */
  readonly tier?: number | null;
  readonly can_send?: boolean;
  readonly token_expires_at?: number | null;
  readonly checks?: readonly OfficialCheck[];
}

/** One stored webhook, as far as it concerns this number. */
export interface StoredHook {
  readonly id: string;
  /** The changes of its entries. */
  readonly changes: readonly { readonly field: string; readonly value: unknown }[];
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
  /** Stored webhooks, oldest first, and the note that all of them is stored elsewhere. */
  hooks(limit: number): Promise<readonly StoredHook[]>;
  hooksDone(ids: readonly string[]): Promise<void>;
  note(health: OfficialHealth): Promise<void>;
  /** A status proves a message of which no answer came. True: it now has this network id. */
  prove(id: string, attempt: number, netId: string, at: number): Promise<boolean>;
  /** The address that stands for a person without a number here, and the reverse; null: not known. */
  aliasOf(businessScopedId: string): Promise<string>;
  personAt(alias: string): Promise<string | null>;
  /** The person at this address stopped or resumed marketing messages in the network's app. Repeating it changes nothing. */
  prefers(address: string, wantsMarketing: boolean, at: number): Promise<void>;
  /** Keeps the templates of the account as the platform lists them now: all (null), or those of one name. */
  syncTemplates(name: string | null): Promise<void>;
  /** May free text be sent to this chat now? */
  isOpen(chat: string): Promise<boolean>;
}
