import type { Timer } from '../domain/message-timers.ts';
import type { BusinessProfile } from './business.ts';
import type { Person } from './person.ts';
import type { Asks, None, QuestionKind } from './question.ts';

/** What an account shows of itself, who may see it, whom it has blocked, and what others show. */
export interface AccountQuestions {
  readonly 'account.get': Asks<None, AccountProfile>;
  readonly 'account.set': Asks<Partial<AccountText>, AccountProfile>;
  /** Refuses VALIDATION_FAILED when the network does not take it. */
  readonly 'account.setPicture': Asks<Jpeg, null>;
  readonly 'account.removePicture': Asks<None, null>;
  readonly 'account.privacy': Asks<None, Privacy>;
  /** Refuses VALIDATION_FAILED for a value that this network does not have. Changes one setting after the other: a refusal may come after some. */
  readonly 'account.setPrivacy': Asks<PrivacyChanges, Privacy>;
  /** Refuses NOT_FOUND when the number is not on the network. */
  readonly 'people.get': Asks<AtPerson, FoundPerson>;
  /** Looks up the current owner of a username. */
  readonly 'people.byUsername': Asks<AtUsername, FoundUsername>;
  readonly 'blocklist.list': Asks<None, readonly Person[]>;
  /** Answers the list as it is then. Refuses NOT_FOUND when the number is not on the network. */
  readonly 'blocklist.set': Asks<AtPerson & { readonly blocked: boolean }, readonly Person[]>;
  /** Stops a call that rings; one that is over is no fault. */
  readonly 'calls.reject': Asks<RingingCall, null>;
}

export const ACCOUNT_QUESTIONS = {
  'account.get': 'read',
  'account.set': 'change',
  'account.setPicture': 'change',
  'account.removePicture': 'change',
  'account.privacy': 'read',
  'account.setPrivacy': 'change',
  'people.get': 'read',
  'people.byUsername': 'read',
  'blocklist.list': 'read',
  'blocklist.set': 'change',
  'calls.reject': 'change',
} as const satisfies Readonly<Record<keyof AccountQuestions, QuestionKind>>;

export interface AccountText {
  readonly name: string;
  readonly about: string;
}

/** Null: not known, or hidden. */
export interface AccountProfile {
  readonly name: string | null;
  readonly about: string | null;
}

export interface Jpeg {
  /** Base64 of a square JPEG. */
  readonly jpeg: string;
}

export interface AtPerson {
  /** Digits, or a hidden address. */
  readonly phone: string;
}

export interface AtUsername {
  /** Without `@`. */
  readonly username: string;
  /** The key that protects the username; null if the caller gave none. It is never stored or logged. */
  readonly key: string | null;
}

export interface FoundUsername {
  /** `key_required`: the name is protected, and the key is missing or wrong. */
  readonly outcome: 'found' | 'nobody' | 'key_required';
  /** The hidden address of the owner; null unless `found`. */
  readonly lid: string | null;
}

export interface RingingCall {
  readonly callId: string;
  /** The address that it came from. */
  readonly from: string;
}

export const VISIBLE_TO = ['all', 'contacts', 'none'] as const;
export type VisibleTo = (typeof VISIBLE_TO)[number];

/** Who may see or do what. */
export const VISIBILITIES = ['last_seen', 'online', 'picture', 'about', 'status', 'groups', 'calls'] as const;
export type Visibility = (typeof VISIBILITIES)[number];

/** Null: a rule that only the phone can show, such as a list of exceptions. */
export interface Privacy extends Readonly<Record<Visibility, VisibleTo | null>> {
  readonly read_receipts: boolean;
  /** Seconds after which messages of new chats disappear; 0: never. */
  readonly default_timer: Timer;
}

export type PrivacyChanges = Partial<Readonly<Record<Visibility, VisibleTo>> & Pick<Privacy, 'read_receipts' | 'default_timer'>>;

export interface FoundPerson {
  readonly person: Person;
  /** Null: hidden. */
  readonly about: string | null;
  /** Base64 of the picture, a JPEG; null: hidden, or there is none. */
  readonly picture: string | null;
  /** Null: it is no business. */
  readonly business: BusinessProfile | null;
}

/** What the network tells of the account, whoever changed it: on the phone, on another computer, or here. */
export type AccountFact =
  | { readonly fact: 'account.updated'; readonly changed: AccountChanges }
  | { readonly fact: 'blocklist.changed'; readonly blocked: readonly Person[]; readonly unblocked: readonly Person[] };

/** New values only. */
export interface AccountChanges {
  readonly name?: string | null;
  readonly about?: string | null;
  /** Whether there is one now. */
  readonly picture?: boolean;
  readonly privacy?: Partial<Privacy>;
  /** Something of the business profile changed. */
  readonly business_profile?: true;
}
