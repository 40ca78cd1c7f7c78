import type { LTHashState } from '@whiskeysockets/baileys';
import type { SecretKind } from '../keys/secret-kind.ts';
import { attempt, type ConnectionContext } from './connection-context.ts';

const WITH_THE_NAME = 'critical_block';
const VERSION: SecretKind<LTHashState> = 'app-state-sync-version';

/** Reports name and about text. After linking, the phone sends the name only once we have logged in. */
export async function tellProfile(context: ConnectionContext): Promise<void> {
  const { socket, creds, account, tell } = context;
  let told = creds.me.name ?? null;
  socket.ev.on('creds.update', ({ me, myAppStateKeyId }) => {
    if (myAppStateKeyId) attempt(context, 'reading the name', () => socket.resyncAppState([WITH_THE_NAME], false));
    if (!me?.name || me.name === told) return;
    const { name } = me;
    if (told !== null) attempt(context, 'telling the name', () => tellNewName(context, name));
    told = name;
    tell({ type: 'profile', name, about: account.about });
  });
  if (told === null && creds.myAppStateKeyId) attempt(context, 'reading the name', () => socket.resyncAppState([WITH_THE_NAME], false));
  const about = await aboutOf(context, context.library.jidNormalizedUser(creds.me.id));
  if (about === null || about === account.about) return;
  account.about = about;
  tell({ type: 'profile', name: told, about });
}

/** Reports a new name. The token's version shows that a return to an earlier name is not a repeat. */
async function tellNewName({ credentialBuffer, keep, clock }: ConnectionContext, name: string): Promise<void> {
  const { [WITH_THE_NAME]: settings } = await credentialBuffer.get(VERSION, [WITH_THE_NAME]);
  const token = `name ${credentialBuffer.generation} ${settings?.version ?? 0} ${name}`;
  keep({ type: 'facts', token, at: clock.now(), facts: [{ fact: 'account.updated', changed: { name } }] }, () => {});
}

/** Returns '' if the text is empty, or null if it is hidden or missing. */
export async function aboutOf({ socket }: ConnectionContext, jid: string): Promise<string | null> {
  const [found] = (await socket.fetchStatus(jid)) ?? [];
  const status: unknown = found?.['status'];
  if (typeof status !== 'object' || status === null || !('status' in status)) return null;
  // The library swaps the two values: null for an empty text, '' for a hidden one (401).
  if (status.status === null) return '';
  return typeof status.status === 'string' && status.status !== '' ? status.status : null;
}
