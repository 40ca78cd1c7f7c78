import { attempt, type ConnectionContext } from './connection-context.ts';

/** The one collection of the phone's settings that holds its owner's name. */
const WITH_THE_NAME = 'critical_block';

/** Reports the name and the about text of the number's owner, now and when they change. The phone sends the name only after the first login. */
export async function tellProfile(context: ConnectionContext): Promise<void> {
  const { socket, creds, account, tell } = context;
  let told = creds.me.name ?? null;
  socket.ev.on('creds.update', ({ me, myAppStateKeyId }) => {
    if (myAppStateKeyId) attempt(context, 'reading the name', () => socket.resyncAppState([WITH_THE_NAME], false));
    if (!me?.name || me.name === told) return;
    const token = `name ${me.name}`;
    const fact = { fact: 'account.updated', changed: { name: me.name } } as const;
    if (told !== null) context.keep({ type: 'facts', token, at: context.clock.now(), facts: [fact] }, () => {});
    told = me.name;
    tell({ type: 'profile', name: told, about: account.about });
  });
  if (told === null && creds.myAppStateKeyId) attempt(context, 'reading the name', () => socket.resyncAppState([WITH_THE_NAME], false));
  const about = await aboutOf(context, context.library.jidNormalizedUser(creds.me.id));
  if (about === null || about === account.about) return;
  account.about = about;
  tell({ type: 'profile', name: told, about });
}

/** The about text of somebody: '' where there is none; null: hidden, or the network did not say. */
export async function aboutOf({ socket }: ConnectionContext, jid: string): Promise<string | null> {
  const [found] = (await socket.fetchStatus(jid)) ?? [];
  const status: unknown = found?.['status'];
  if (typeof status !== 'object' || status === null || !('status' in status)) return null;
  // The library has the two the other way round: null for an empty text, '' for one that is hidden (401).
  if (status.status === null) return '';
  return typeof status.status === 'string' && status.status !== '' ? status.status : null;
}
