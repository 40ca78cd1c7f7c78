import { addressOf, subjectOf } from '../../network/subject.ts';
import { allForms, type Forms } from '../identities/forms.ts';

/** A receipt may name the chat's person by an address other than the one that the message was sent to. */

export type FormsOfPeople = (subjects: readonly string[]) => Promise<Forms>;

export async function addressesOfChats(chats: Iterable<string>, formsOf: FormsOfPeople): Promise<ReadonlyMap<string, readonly string[]>> {
  const named = [...new Set(chats)];
  const subjects = named.flatMap((chat) => subjectOf(chat) ?? []);
  const forms = await formsOf(subjects);
  return new Map(named.map((chat) => [chat, allForms(forms, subjectOf(chat) ?? chat).map(addressOf)]));
}
