import type { LTHashState } from '@whiskeysockets/baileys';
import type { SecretKind } from '../keys/secret-kind.ts';
import { attempt, type ConnectionContext } from './connection-context.ts';

const WITH_THE_NAME = 'critical_block';
const VERSION: SecretKind<LTHashState> = 'app-state-sync-version';

/** Reports the name and the about text. The phone sends the name after the first login. */
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

/** After a crash, the same name is the same event; a name that returns later is a new event. */
async function tellNewName({ credentialBuffer, keep, clock }: ConnectionContext, name: string): Promise<void> {
  const { [WITH_THE_NAME]: settings } = await credentialBuffer.get(VERSION, [WITH_THE_NAME]);
  const token = `name ${credentialBuffer.generation} ${settings?.version ?? 0} ${name}`;
  keep({ type: 'facts', token, at: clock.now(), facts: [{ fact: 'account.updated', changed: { name } }] }, () => {});
}

/** Returns '' if the text is empty, and null if it is hidden or missing. */
export async function aboutOf({ socket }: ConnectionContext, jid: string): Promise<string | null> {
  const [found] = (await socket.fetchStatus(jid)) ?? [];
  const status: unknown = found?.['status'];
  if (typeof status !== 'object' || status === null || !('status' in status)) return null;
  // The library swaps the two: null for an empty text, '' for a hidden one (401).
  if (status.status === null) return '';
  return typeof status.status === 'string' && status.status !== '' ? status.status : null;
}
