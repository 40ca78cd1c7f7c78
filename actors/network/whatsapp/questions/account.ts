import { Refusal } from '../../../../runtime/errors.ts';
import type { AccountProfile, AccountQuestions, AccountText } from '../../account.ts';
import type { Answers } from '../../questions.ts';
import type { ConnectionContext } from '../session/connection-context.ts';
import { aboutOf } from '../session/profile.ts';
import { blocklist, setBlocked } from './blocklist.ts';
import { findPerson, findUsername } from './people.ts';
import { changePrivacy, privacyOf } from './privacy.ts';
import { changeName } from './push-name.ts';
import { ask, el } from './query.ts';
import { NO_KEY } from './shared-settings.ts';

const PICTURE = { type: 'set', xmlns: 'w:profile:picture' } as const;

export const accountAnswers: Answers<ConnectionContext, AccountQuestions> = {
  'account.get': profileOf,
  'account.set': changeProfile,
  async 'account.setPicture'(context, { jpeg }) {
    await ask(context, PICTURE, [el('picture', { type: 'image' }, Buffer.from(jpeg, 'base64'))]);
    return null;
  },
  async 'account.removePicture'(context) {
    await ask(context, PICTURE, []);
    return null;
  },
  'account.privacy': privacyOf,
  'account.setPrivacy': changePrivacy,
  'people.get': (context, { phone }) => findPerson(context, phone),
  'people.byUsername': findUsername,
  'blocklist.list': blocklist,
  'blocklist.set': (context, { phone, blocked }) => setBlocked(context, phone, blocked),
  async 'calls.reject'({ socket }, { callId, from }) {
    await socket.query(el('call', { to: from }, [el('reject', { 'call-id': callId, 'call-creator': from, count: '0' })]));
    return null;
  },
};

async function profileOf(context: ConnectionContext): Promise<AccountProfile> {
  const { creds, library } = context;
  return { name: creds.me.name ?? null, about: await aboutOf(context, library.jidNormalizedUser(creds.me.id)) };
}

/** The name is a setting that all devices share, so changing it needs keys from the phone. */
async function changeProfile(context: ConnectionContext, { name, about }: Partial<AccountText>): Promise<AccountProfile> {
  if (name !== undefined && !context.creds.myAppStateKeyId) throw new Refusal('CONFLICT', { reason: NO_KEY });
  if (about !== undefined) await ask(context, { type: 'set', xmlns: 'status' }, [el('status', {}, Buffer.from(about))]);
  if (name !== undefined) await changeName(context, name);
  return profileOf(context);
}
