import type { GroupQuestions, GroupRecord } from '../../groups.ts';
import { networkRefusal } from '../../network-refusal.ts';
import type { Answers } from '../../questions.ts';
import type { BinaryNode } from '../library.ts';
import type { ConnectionContext } from '../session/connection-context.ts';
import { child, children, el, query } from './query.ts';
import { readGroup } from './read-group.ts';

const ALL_GROUPS = '@g.us';

/** Groups and communities, in the network's own stanzas: the library looks for communities under a name that the network does not use. */
export const groupAnswers: Answers<ConnectionContext, GroupQuestions> = {
  async 'groups.list'(context) {
    const content = [el('participating', {}, [el('participants'), el('description')])];
    const answer = await query(context, { xmlns: 'w:g2', type: 'get', to: ALL_GROUPS, content });
    return children(child(answer, 'groups') ?? answer, 'group').map(readGroup);
  },

  'groups.get': async (context, { id }) => {
    const content = [el('query', { request: 'interactive' })];
    return groupIn(await query(context, { xmlns: 'w:g2', type: 'get', to: id, content }));
  },
};

/** Refuses NOT_FOUND where the answer has none. */
function groupIn(answer: BinaryNode): GroupRecord {
  const group = child(answer, 'group');
  if (!group) throw networkRefusal(404);
  return readGroup(group);
}
