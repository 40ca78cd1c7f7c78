import type { Timer } from '../domain/message-timers.ts';
import type { BusinessProfile } from './business.ts';
import type { Person } from './person.ts';
import type { Asks, None, QuestionKind } from './question.ts';

export interface AccountQuestions {
  readonly 'account.get': Asks<None, AccountProfile>;
  readonly 'account.set': Asks<Partial<AccountText>, AccountProfile>;
  readonly 'account.setPicture': Asks<Jpeg, null>;
  readonly 'account.removePicture': Asks<None, null>;
  readonly 'account.privacy': Asks<None, Privacy>;
  /** If the network refuses a setting (VALIDATION_FAILED), those changed before it stay changed. */
  readonly 'account.setPrivacy': Asks<PrivacyChanges, Privacy>;
  readonly 'people.get': Asks<AtPerson, FoundPerson>;
  readonly 'people.byUsername': Asks<AtUsername, FoundUsername>;
  readonly 'blocklist.list': Asks<None, readonly Person[]>;
  readonly 'blocklist.set': Asks<AtPerson & { readonly blocked: boolean }, readonly Person[]>;
  /** Also succeeds if the call is already over. */
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

export interface AccountProfile {
  readonly name: string | null;
  readonly about: string | null;
}

export interface Jpeg {
  readonly jpeg: string;
}

export interface AtPerson {
  readonly phone: string;
}

export interface AtUsername {
  readonly username: string;
  /** The key that protects the username; never stored or logged. */
  readonly key: string | null;
}

export interface FoundUsername {
  readonly outcome: 'found' | 'nobody' | 'key_required';
  readonly lid: string | null;
}

export interface RingingCall {
  readonly callId: string;
  readonly from: string;
}

export const VISIBLE_TO = ['all', 'contacts', 'none'] as const;
export type VisibleTo = (typeof VISIBLE_TO)[number];

export const VISIBILITIES = ['last_seen', 'online', 'picture', 'about', 'status', 'groups', 'calls'] as const;
export type Visibility = (typeof VISIBILITIES)[number];

/** A setting is null if it can be viewed only on the phone, for example a list of exceptions. */
export interface Privacy extends Readonly<Record<Visibility, VisibleTo | null>> {
  readonly read_receipts: boolean;
  readonly default_timer: Timer;
}

export type PrivacyChanges = Partial<Readonly<Record<Visibility, VisibleTo>> & Pick<Privacy, 'read_receipts' | 'default_timer'>>;

export interface FoundPerson {
  readonly person: Person;
  readonly about: string | null;
  readonly picture: string | null;
  readonly business: BusinessProfile | null;
}

export type AccountFact =
  | { readonly fact: 'account.updated'; readonly changed: AccountChanges }
  | { readonly fact: 'blocklist.changed'; readonly blocked: readonly Person[]; readonly unblocked: readonly Person[] };

export interface AccountChanges {
  readonly name?: string | null;
  readonly about?: string | null;
  readonly picture?: boolean;
  readonly privacy?: Partial<Privacy>;
  readonly business_profile?: true;
}
