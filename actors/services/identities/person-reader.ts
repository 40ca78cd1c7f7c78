import { Refusal } from '../../../runtime/errors.ts';
import { at } from '../../../runtime/invariant.ts';
import { type Contacts, folded } from '../../../store/contacts/contacts.ts';
import { readSliced } from '../../../store/paging/read-sliced.ts';
import type { NumberRead } from '../../domain/numbers/read-number.ts';
import { refusal } from '../../domain/refusals.ts';
import { usernameIn } from '../../domain/usernames.ts';
import { isLid } from '../../network/jid.ts';
import { writtenLid } from '../../network/subject.ts';
import type { IdentityResolver } from './identities.ts';
import type { NumberReader, Reader } from './number-reader.ts';

/**
 * Parses every field that names a person: a number in any form, `<digits>@lid`, or `@username`. A
 * username belongs to the contact most recently reported with it. If there is none, the caller's
 * `lookUp` asks the network. Nothing is stored. The result is a number if known, otherwise a hidden
 * address.
 */

export interface PersonReader {
  /** Returns digits or a hidden address. Fails like `lookUp`, or with INVALID_NUMBER or NOT_FOUND. */
  subject(reader: Reader, text: string, lookUp?: LookUp): string | Promise<string>;
  /** If every username lookup fails, the unknown usernames become `unknown_username`. */
  all(reader: Reader, texts: readonly string[], lookUp?: LookUp): Promise<readonly PersonRead[]>;
}

export type PersonRead = { readonly kind: 'person'; readonly subject: string } | Exclude<NumberRead, { kind: 'number' }>;

export type LookUp = (username: string) => Promise<string>;

export interface PersonReaderDeps {
  readonly numbers: Pick<NumberReader, 'digits' | 'all'>;
  readonly people: Pick<IdentityResolver, 'phonesOf'>;
  readonly contacts: Pick<Contacts, 'byUsernames'>;
}

const isName = (text: string): boolean => text.trimStart().startsWith('@');

export function createPersonReader({ numbers, people, contacts }: PersonReaderDeps): PersonReader {
  /** Finds the contacts with these usernames. A username that two contacts claim is left out. */
  async function named(tenantId: string, usernames: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const rows = await readSliced(tenantId, usernames, (some) => contacts.byUsernames(tenantId, some));
    const byName = Map.groupBy(rows, ({ username }) => folded(username ?? ''));
    return new Map([...byName].flatMap(([name, [one, other]]) => (one && !other ? [[name, one.phone] as const] : [])));
  }

  async function found(usernames: readonly string[], lookUp: LookUp): Promise<ReadonlyMap<string, string>> {
    const lids = new Map<string, string>();
    for (const username of usernames)
      try {
        lids.set(folded(username), await lookUp(username));
      } catch (cause) {
        if (!(cause instanceof Refusal)) throw cause;
        if (!ABOUT_ONE.has(cause.code)) break;
      }
    return lids;
  }

  async function numbered(tenantId: string, subjects: readonly string[]): Promise<(subject: string) => string> {
    const phones = await people.phonesOf(tenantId, [...new Set(subjects.filter(isLid))]);
    return (subject) => phones.get(subject) ?? subject;
  }

  async function subjectNamed({ tenantId }: Reader, text: string, lookUp: LookUp | undefined): Promise<string> {
    const username = usernameIn(text);
    if (username === null) throw refusal('INVALID_NUMBER', { reason: NO_NAME });
    const subject = (await named(tenantId, [username])).get(folded(username)) ?? (await lookUp?.(username));
    if (subject === undefined) throw refusal('NOT_FOUND', { reason: NOBODY });
    return (await numbered(tenantId, [subject]))(subject);
  }

  return {
    subject(reader, text, lookUp) {
      if (isName(text)) return subjectNamed(reader, text, lookUp);
      const lid = writtenLid(text);
      return lid === null ? numbers.digits(reader, text) : numbered(reader.tenantId, [lid]).then((of) => of(lid));
    },

    async all(reader, texts, lookUp) {
      const { tenantId } = reader;
      const others = texts.map((text) => (isName(text) || writtenLid(text) !== null ? null : text));
      const reads = await numbers.all(
        reader,
        others.map((text) => text ?? ''),
      );
      const usernames = new Map(texts.filter(isName).flatMap((text) => entryOf(usernameIn(text))));
      const known = await named(tenantId, [...usernames.values()]);
      const unknown = [...usernames].flatMap(([name, username]) => (known.has(name) ? [] : [username]));
      const asked = lookUp ? await found(unknown, lookUp) : new Map<string, string>();
      const lids = texts.map(writtenLid);
      const personOf = await numbered(tenantId, [...lids.flatMap((lid) => lid ?? []), ...asked.values(), ...known.values()]);
      return texts.map((text, nth) => {
        if (others[nth] !== null) return personRead(at(reads, nth));
        const username = usernameIn(text);
        const subject = lids[nth] ?? (username === null ? undefined : (known.get(folded(username)) ?? asked.get(folded(username))));
        if (subject !== undefined) return { kind: 'person', subject: personOf(subject) };
        return { kind: username === null ? 'not_a_number' : 'unknown_username' };
      });
    },
  };
}

const entryOf = (username: string | null): readonly (readonly [string, string])[] =>
  username === null ? [] : [[folded(username), username]];

const personRead = (read: NumberRead): PersonRead => (read.kind === 'number' ? { kind: 'person', subject: read.digits } : read);

const ABOUT_ONE: ReadonlySet<string> = new Set(['NOT_FOUND', 'USERNAME_KEY_REQUIRED', 'VALIDATION_FAILED']);

const NO_NAME = { en: 'this is not a username', id: 'ini bukan nama pengguna' };
const NOBODY = { en: 'nobody has this username', id: 'tidak ada yang memakai nama pengguna ini' };
