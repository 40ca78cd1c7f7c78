import { addressOf, subjectOf } from '../../network/subject.ts';
import { allForms, type Forms } from '../identities/forms.ts';

/** Finds all addresses of chats, because a receipt may use another address than its message. */

export type FormsOfPeople = (subjects: readonly string[]) => Promise<Forms>;

export async function addressesOfChats(chats: Iterable<string>, formsOf: FormsOfPeople): Promise<ReadonlyMap<string, readonly string[]>> {
  const named = [...new Set(chats)];
  const subjects = named.flatMap((chat) => subjectOf(chat) ?? []);
  const forms = await formsOf(subjects);
  return new Map(named.map((chat) => [chat, allForms(forms, subjectOf(chat) ?? chat).map(addressOf)]));
}
