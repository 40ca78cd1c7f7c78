import type { ContactSaved } from '../../phone-changes.ts';
import type { KeptEvent } from '../../port.ts';
import type { SecretKind } from '../keys/secret-kind.ts';
import { bareJid, IS_CHAT } from './labelled-chats.ts';
import { phoneChangeEvents } from './own-view.ts';
import type { SettingsPage } from './read-settings.ts';
import { indexOf } from './salt-sync.ts';
import { type KeptBook, type SettingsContext, SharedSettings } from './shared-settings.ts';

/** Stores only the position up to which the address book was read, not the address book itself. */
type NoBook = Readonly<Record<string, never>>;

const BOOK: SecretKind<KeptBook<NoBook>> = 'address-book';
const TOLD: SecretKind<KeptEvent> = 'address-book-events';
const MAX_NAME = 100;
/** Maximum number of names to take from a page. The last ones are taken, because they are the newest. */
const MOST_OF_PAGE = 20_000;

export function readAddressBook(context: SettingsContext): void {
  new SharedSettings<NoBook>(context, {
    collection: 'critical_unblock_low',
    kept: BOOK,
    told: TOLD,
    token: 'address-book',
    empty: {},
    isReadAtLogin: false,
    after: (book) => book,
    events: async (_before, _after, _isFirst, page) => phoneChangeEvents(context, await savedIn(context, page)),
  });
}

async function savedIn(context: SettingsContext, page: SettingsPage): Promise<readonly ContactSaved[]> {
  const now = context.clock.now();
  const removed = await removedIn(context, page);
  const saved = page.mutations.flatMap(({ index, value }): readonly ContactSaved[] => {
    if (!Array.isArray(index)) return [];
    const [kind, jid] = index.map(String);
    const isPerson = jid !== undefined && IS_CHAT.test(jid) && !jid.endsWith('@g.us');
    if (kind !== 'contact' || !isPerson) return [];
    const { fullName, firstName } = value?.contactAction ?? {};
    const name = removed.has(JSON.stringify(index)) ? null : (fullName || firstName || '').trim().slice(0, MAX_NAME) || null;
    return [{ kind: 'saved', chat: bareJid(jid), name, at: Math.min(Number(value?.timestamp ?? now) || now, now) }];
  });
  return saved.slice(-MOST_OF_PAGE);
}

/** Returns the contacts that were removed, which the library does not report. */
async function removedIn(context: SettingsContext, { sealed }: SettingsPage): Promise<ReadonlySet<string>> {
  const { REMOVE } = context.library.proto.SyncdMutation.SyncdOperation;
  const removed = new Set<string>();
  if (!sealed.some(({ operation }) => operation === REMOVE)) return removed;
  for (const { operation, record } of sealed) {
    const index = await indexOf(context, record);
    if (index === null) continue;
    if (operation === REMOVE) removed.add(index);
    else removed.delete(index);
  }
  return removed;
}
