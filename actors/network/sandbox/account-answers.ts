import type { AccountQuestions, FoundPerson, FoundUsername, Privacy } from '../account.ts';
import { isLid } from '../jid.ts';
import { networkRefusal } from '../network-refusal.ts';
import type { Person } from '../person.ts';
import { lidOf, numberAt } from './addresses.ts';
import type { SandboxAnswers } from './answers.ts';
import { became } from './call-acts.ts';
import type { TellAccount } from './fact-teller.ts';
import type { Inboxes } from './inboxes.ts';
import type { Phone } from './phones.ts';
import type { SandboxDeps } from './sandbox-deps.ts';

const [NOT_FOUND, NOT_ACCEPTABLE] = [404, 406];

export function accountAnswers(deps: SandboxDeps, inboxes: Inboxes, tell: TellAccount): SandboxAnswers<AccountQuestions> {
  const { phones, pages, journal } = deps;
  const blockedBy = (digits: string): readonly Person[] => [...pages.of(digits).blocked].map((each) => personBehind(deps, each));
  return {
    'account.get': ({ phone }) => profileOf(phones.named(phone)),
    'account.set': ({ phone }, changes) => {
      phones.named(phone).set(changes);
      tellProfile(deps, phone);
      tell(phone, { fact: 'account.updated', changed: changes });
      return profileOf(phones.named(phone));
    },
    'account.setPicture': ({ phone }, { jpeg }) => {
      if (!PICTURE.test(Buffer.from(jpeg, 'base64').subarray(0, 12).toString('hex'))) throw networkRefusal(NOT_ACCEPTABLE);
      pages.of(phone).picture = jpeg;
      tell(phone, { fact: 'account.updated', changed: { picture: true } });
      return null;
    },
    'account.removePicture': ({ phone }) => {
      pages.of(phone).picture = null;
      tell(phone, { fact: 'account.updated', changed: { picture: false } });
      return null;
    },
    'account.privacy': ({ phone }) => pages.of(phone).privacy,
    'account.setPrivacy': ({ phone }, changes) => {
      const page = pages.of(phone);
      page.privacy = { ...page.privacy, ...changes } satisfies Privacy;
      tell(phone, { fact: 'account.updated', changed: { privacy: changes } });
      return page.privacy;
    },
    'people.get': (_device, { phone }) => foundPerson(deps, phone),
    'people.byUsername': (device, { username, key }) => {
      const found = foundByUsername(phones.called(username), key);
      journal.note({ what: 'look-up', phone: device.phone, device: device.number, to: `@${username}`, reason: found.outcome });
      return found;
    },
    'blocklist.list': ({ phone }) => blockedBy(phone),
    'blocklist.set': ({ phone: own }, { phone: named, blocked }) => {
      const phone = digitsOf(deps, named);
      const { blocked: list } = pages.of(own);
      if (list.has(phone) === blocked) return blockedBy(own);
      if (blocked) list.add(phone);
      else list.delete(phone);
      const who = [personBehind(deps, phone)];
      tell(own, { fact: 'blocklist.changed', blocked: blocked ? who : [], unblocked: blocked ? [] : who });
      return blockedBy(own);
    },
    'calls.reject': ({ phone }, { callId, from }) => {
      const call = pages.of(numberAt(from) ?? '').calls.find(({ id, to }) => id === callId && to === phone);
      if (call?.state === 'ringing') became(deps, inboxes, numberAt(from) ?? '', call, 'rejected');
      return null;
    },
  };
}

/** The first bytes of JPEG, PNG and WebP files in hex. */
const PICTURE = /^(?:ffd8ff|89504e470d0a1a0a|52494646.{8}57454250)/;

const profileOf = ({ name, about }: Phone) => ({ name, about });

function tellProfile({ devices, phones }: SandboxDeps, digits: string): void {
  const profile = profileOf(phones.named(digits));
  for (const { login } of devices.of(digits)) login?.say({ type: 'profile', ...profile });
}

function digitsOf({ phones }: SandboxDeps, person: string): string {
  const digits = isLid(person) ? numberAt(person) : person;
  const isTheirs = digits !== null && (digits === person || lidOf(digits) === person);
  if (!isTheirs || !phones.isOnNetwork(digits)) throw networkRefusal(NOT_FOUND);
  return digits;
}

function personBehind({ phones }: SandboxDeps, digits: string): Person {
  const { lid, tellsNumber, username, name } = phones.named(digits);
  return { phone: lid && !tellsNumber ? null : digits, lid: lid ? lidOf(digits) : null, username, name };
}

function foundByUsername(phone: Phone | null, key: string | null): FoundUsername {
  if (!phone?.onNetwork) return { outcome: 'nobody', lid: null };
  if (phone.usernameKey !== null && phone.usernameKey !== key) return { outcome: 'key_required', lid: null };
  return { outcome: 'found', lid: lidOf(phone.digits) };
}

function foundPerson(deps: SandboxDeps, asked: string): FoundPerson {
  const { phones, pages } = deps;
  const digits = digitsOf(deps, asked);
  const { picture, privacy, business } = pages.of(digits);
  const { about, business: isBusiness } = phones.named(digits);
  return {
    person: { ...personBehind(deps, digits), ...(!isLid(asked) && { phone: asked }) },
    about: privacy.about === 'none' ? null : about,
    picture: privacy.picture === 'none' ? null : picture,
    business: isBusiness ? business : null,
  };
}
