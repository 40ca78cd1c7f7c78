import { timerOf } from '../../../domain/message-timers.ts';
import type { AccountChanges, AccountFact, Privacy } from '../../account.ts';
import type { BinaryNode } from '../library.ts';
import { attempt, type ConnectionContext } from '../session/connection-context.ts';
import { personOf } from './people.ts';
import { readPrivacy } from './privacy.ts';
import { child, children, textOf } from './query.ts';

/** Replaces the library's handler, which acknowledges notices before they can be stored. */
export function handleAccountNotices(context: ConnectionContext): void {
  const { ws, sendMessageAck } = context.socket;
  const others = ws.listeners('CB:notification');
  ws.removeAllListeners('CB:notification');
  ws.on('CB:notification', (notice: BinaryNode) => {
    if (!isOfAccount(context, notice)) {
      return attempt(context, 'a notice', () => Promise.all(others.map(async (receive) => receive(notice))));
    }
    attempt(context, 'a notice of the account', async () => {
      const facts = await factsOf(context, notice);
      const acknowledge = (): void => attempt(context, 'an ack', () => sendMessageAck(notice));
      if (facts.length === 0) return acknowledge();
      const { id, t } = notice.attrs;
      context.keep({ type: 'facts', token: `notice ${id}`, at: Number(t ?? 0) * 1_000, facts }, acknowledge);
    });
  });
}

const SYNCED = new Set(['privacy', 'blocklist', 'disappearing_mode']);

function isOfAccount({ library, creds: { me } }: ConnectionContext, notice: BinaryNode): boolean {
  const { type, from } = notice.attrs;
  if (!library.areJidsSameUser(from, me.id) && !library.areJidsSameUser(from, me.lid)) return false;
  if (type === 'account_sync') return children(notice).length > 0 && children(notice).every(({ tag }) => SYNCED.has(tag));
  if (type === 'business') return child(notice, 'profile') !== undefined;
  return type === 'picture' || type === 'status';
}

async function factsOf(context: ConnectionContext, notice: BinaryNode): Promise<readonly AccountFact[]> {
  const blocklist = child(notice, 'blocklist');
  const blocks = blocklist ? [await blocksIn(context, blocklist)] : [];
  const changed = changesIn(notice);
  return [...blocks, ...(Object.keys(changed).length > 0 ? [{ fact: 'account.updated', changed } as const] : [])];
}

async function blocksIn(context: ConnectionContext, list: BinaryNode): Promise<AccountFact> {
  const people = async (action: string) =>
    Promise.all(
      children(list, 'item').flatMap(({ attrs }) => (attrs['action'] === action && attrs['jid'] ? [personOf(context, attrs['jid'])] : [])),
    );
  return { fact: 'blocklist.changed', blocked: await people('block'), unblocked: await people('unblock') };
}

function changesIn(notice: BinaryNode): AccountChanges {
  const { type } = notice.attrs;
  if (type === 'business') return { business_profile: true };
  if (type === 'status') return { about: textOf(child(notice, 'set')) ?? '' };
  if (type === 'picture') return child(notice, 'set') || child(notice, 'delete') ? { picture: child(notice, 'set') !== undefined } : {};
  const privacy = { ...privacyIn(child(notice, 'privacy')), ...timerIn(child(notice, 'disappearing_mode')) };
  return Object.keys(privacy).length > 0 ? { privacy } : {};
}

const FIELDS: ReadonlyMap<string | undefined, keyof Privacy> = new Map(
  Object.entries({
    last: 'last_seen',
    online: 'online',
    profile: 'picture',
    status: 'about',
    groupadd: 'groups',
    calladd: 'calls',
    readreceipts: 'read_receipts',
  } as const),
);

function privacyIn(privacy: BinaryNode | undefined): Partial<Privacy> {
  const told = new Map(children(privacy, 'category').map(({ attrs }) => [attrs['name'], attrs['value'] ?? '']));
  const all = readPrivacy(told, 0, null);
  const fields = [...told.keys()].flatMap((name) => FIELDS.get(name) ?? []);
  return Object.fromEntries(fields.map((field) => [field, all[field]]));
}

function timerIn(mode: BinaryNode | undefined): Partial<Privacy> {
  const default_timer = timerOf(Number(mode?.attrs['duration']));
  return mode && default_timer !== null ? { default_timer } : {};
}
