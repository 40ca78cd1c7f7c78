import { asError, codeOf } from '../../../../runtime/errors.ts';
import type { GroupFact } from '../../groups.ts';
import { type Person, personAt } from '../../person.ts';
import type { BinaryNode } from '../library.ts';
import { child, children, el, query } from '../questions/query.ts';
import { readGroup } from '../questions/read-group.ts';
import { attempt, type ConnectionContext } from '../session/connection-context.ts';
import { readGroupNotice } from './read-group-notice.ts';

/** Replaces the library's handler, which acknowledges notices before they can be stored. */
export function handleGroupNotices(context: ConnectionContext): void {
  const { ws, sendMessageAck } = context.socket;
  const others = ws.listeners('CB:notification');
  ws.removeAllListeners('CB:notification');
  let reading = context.opened;
  ws.on('CB:notification', (node: BinaryNode) => {
    const acknowledge = (): void => attempt(context, 'an ack', () => sendMessageAck(node));
    const facts = factsOf(context, node);
    if (facts === null) return attempt(context, 'a notice', () => Promise.all(others.map(async (receive) => receive(node))));
    const { id = '', from = '', t } = node.attrs;
    context.account.groups.delete(from);
    const told = { type: 'facts', token: `notice ${from} ${id}`, at: Number(t ?? 0) * 1_000 } as const;
    const keep = (all: readonly GroupFact[]): void =>
      all.length === 0 ? acknowledge() : context.keep({ ...told, facts: all }, acknowledge);
    if (!addsUs(context, node)) return keep(facts);
    // Read new groups one by one, because a login may bring many notices, and requests are rate-limited.
    const read = reading.then(async () => keep(await joined(context, node, facts)));
    reading = read.catch(() => undefined);
    attempt(context, 'reading a new group', () => read);
  });
}

const isOurs = ({ creds: { me } }: ConnectionContext, { phone, lid }: Person): boolean => {
  const own = personAt(me.id, me.lid ?? null);
  return (phone !== null && phone === own.phone) || (lid !== null && lid === own.lid);
};

function addsUs(context: ConnectionContext, notice: BinaryNode): boolean {
  const added = children(child(notice, 'add') ?? notice, 'participant');
  return (
    notice.attrs['type'] === 'w:gp2' &&
    added.some(({ attrs }) => isOurs(context, personAt(attrs['jid'] ?? '', attrs['phone_number'] ?? null)))
  );
}

/** Reads the group to which we were added. If this fails, the network sends the notice again. */
async function joined(context: ConnectionContext, notice: BinaryNode, facts: readonly GroupFact[]): Promise<readonly GroupFact[]> {
  const { from = '', participant, participant_pn } = notice.attrs;
  const group = await groupNow(context, from);
  if (!group) return facts;
  const by = participant ? personAt(participant, participant_pn ?? null) : null;
  const reason = child(notice, 'add')?.attrs['reason'] ?? 'add';
  const others = facts.filter((fact) => !(fact.fact === 'group.participants' && fact.action === 'add'));
  return [{ fact: 'group.joined', group_id: from, by, reason, group: readGroup(group) }, ...others];
}

async function groupNow(context: ConnectionContext, to: string): Promise<BinaryNode | undefined> {
  try {
    const answer = await query(context, { xmlns: 'w:g2', type: 'get', to, content: [el('query', { request: 'interactive' })] });
    return child(answer, 'group');
  } catch (cause) {
    if (!HIDDEN.has(codeOf(cause))) throw asError(cause);
    return undefined;
  }
}

const HIDDEN: ReadonlySet<unknown> = new Set(['FORBIDDEN', 'NOT_FOUND', 'VALIDATION_FAILED']);

function factsOf(context: ConnectionContext, notice: BinaryNode): readonly GroupFact[] | null {
  const { from = '', type } = notice.attrs;
  if (!from.endsWith('@g.us')) return null;
  if (type === 'picture') return pictureOf(notice, from);
  if (type !== 'w:gp2') return null;
  return readGroupNotice({ notice, isUs: (person) => isOurs(context, person) });
}

function pictureOf(notice: BinaryNode, group_id: string): readonly GroupFact[] {
  const set = child(notice, 'set');
  const author = (set ?? child(notice, 'delete'))?.attrs['author'];
  return [{ fact: 'group.updated', group_id, by: author ? personAt(author) : null, changed: { picture: set?.attrs['id'] ?? null } }];
}
