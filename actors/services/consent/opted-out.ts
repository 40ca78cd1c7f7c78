import type { Consents } from '../../../store/consent/consents.ts';
import type { Identities } from '../../../store/identities/identities.ts';
import { readSliced } from '../../../store/paging/read-sliced.ts';
import { twinsOf } from '../../domain/numbers/twins.ts';
import { addressOf, subjectOf } from '../../network/subject.ts';
import { allForms, type FormsOf } from '../identities/forms.ts';

export type OptedOut = (tenantId: string, subjects: readonly string[]) => Promise<ReadonlySet<string>>;

export interface OptedOutDeps {
  readonly consents: Pick<Consents, 'statusOf'>;
  readonly formsOf: FormsOf;
  readonly identities: Pick<Identities, 'apartOf'>;
}

/** Checks all of a person's addresses, including unfinished merges and unconfirmed forms of a number. */
export function createOptedOut({ consents, formsOf, identities }: OptedOutDeps): OptedOut {
  return async (tenantId, subjects) => {
    if (subjects.length === 0) return new Set();
    const forms = await formsOf(tenantId, subjects);
    const standing = (subject: string): string => forms.get(subject)?.phone ?? subject;
    const persons = [...new Set(subjects.map(standing))];
    // Other people who had the number earlier, or who have it now.
    const apart = await identities.apartOf(tenantId, persons.map(addressOf), persons);
    const askedFor = (subject: string): readonly string[] => {
      const others = apart.get(standing(subject)) ?? [];
      const all = [...allForms(forms, subject), ...others.map((each) => subjectOf(each) ?? each)];
      return [...new Set([...all, ...all.flatMap(twinsOf)])];
    };
    const bySubject = new Map(subjects.map((subject) => [subject, askedFor(subject)]));
    const asked = [...new Set([...bySubject.values()].flat())];
    const said = new Map(await readSliced(tenantId, asked, (some) => consents.statusOf(tenantId, some)));
    return new Set([...bySubject].flatMap(([subject, own]) => (own.some((form) => said.get(form) === 'opted_out') ? [subject] : [])));
  };
}
