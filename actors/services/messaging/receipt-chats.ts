import { addressOf, subjectOf } from '../../network/subject.ts';
import { allForms, type Forms } from '../identities/forms.ts';

/** Receipts may use another address of the chat's person than the one written to. */

export type FormsOfPeople = (subjects: readonly string[]) => Promise<Forms>;

export async function addressesOfChats(chats: Iterable<string>, formsOf: FormsOfPeople): Promise<ReadonlyMap<string, readonly string[]>> {
  const named = [...new Set(chats)];
  const subjects = named.flatMap((chat) => subjectOf(chat) ?? []);
  const forms = await formsOf(subjects);
  return new Map(named.map((chat) => [chat, allForms(forms, subjectOf(chat) ?? chat).map(addressOf)]));
}
