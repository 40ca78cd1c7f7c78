import { attempt, type Wires } from './wires.ts';

/** The one collection of the phone's settings that holds its owner's name. */
const WITH_THE_NAME = 'critical_block';

/** Tells the name and the about text of the number's owner, now and when they change. The phone tells the name only after the first login. */
export async function tellProfile(wires: Wires): Promise<void> {
  const { socket, creds, account, tell } = wires;
  let told = creds.me?.name ?? null;
  socket.ev.on('creds.update', ({ me, myAppStateKeyId }) => {
    if (myAppStateKeyId) attempt(wires, 'reading the name', () => socket.resyncAppState([WITH_THE_NAME], false));
    if (!me?.name || me.name === told) return;
    told = me.name;
    tell({ type: 'profile', name: told, about: account.about });
  });
  if (told === null && creds.myAppStateKeyId) attempt(wires, 'reading the name', () => socket.resyncAppState([WITH_THE_NAME], false));
  const about = await aboutOf(wires);
  if (about === null || about === account.about) return;
  account.about = about;
  tell({ type: 'profile', name: told, about });
}

async function aboutOf({ socket, library, creds }: Wires): Promise<string | null> {
  const [found] = (await socket.fetchStatus(library.jidNormalizedUser(creds.me!.id))) ?? [];
  const status: unknown = found?.['status'];
  if (typeof status !== 'object' || status === null || !('status' in status)) return null;
  return typeof status.status === 'string' && status.status !== '' ? status.status : null;
}
