import { addressOf, subjectOf } from '../../network/subject.ts';
import { allForms, type Forms } from '../identities/forms.ts';

/**
 * Under which addresses a message can be stored of which a receipt came from a chat: all those of its person, because whoever was written to under one
 * of them may answer from another.
 */

/** All numbers and addresses of these people. */
export type FormsOfPeople = (subjects: readonly string[]) => Promise<Forms>;

export async function addressesOfChats(chats: Iterable<string>, formsOf: FormsOfPeople): Promise<ReadonlyMap<string, readonly string[]>> {
  const named = [...new Set(chats)];
  const subjects = named.flatMap((chat) => subjectOf(chat) ?? []);
  const forms = await formsOf(subjects);
  return new Map(named.map((chat) => [chat, allForms(forms, subjectOf(chat) ?? chat).map(addressOf)]));
}
