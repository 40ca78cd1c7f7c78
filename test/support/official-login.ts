import type { MockAgent } from 'undici';
import type { OfficialLogin } from '../../actors/network/official/login.ts';
import { VirtualClock } from '../../runtime/testing/virtual-clock.ts';

/** A login at `https://graph.example` that has nothing stored and forgets everything. */
export function anOfficialLogin(dispatcher: MockAgent, own: Partial<OfficialLogin> = {}): OfficialLogin {
  const address = { url: 'https://graph.example', version: null };
  const nothing = async () => undefined;
  return {
    ...{ sessionId: '', address, dispatcher, clock: new VirtualClock(), phoneNumberId: '1', wabaId: '2', appId: '3', appSecret: '' },
    ...{ token: 'token', pin: null, callbackUrl: '', verifyToken: '' },
    ...{ hooks: async () => [], hooksDone: nothing, note: nothing, prove: async () => true, held: nothing },
    ...{ aliasOf: async () => '', knownAlias: async () => null, personAt: async () => null, moved: nothing, prefers: nothing },
    ...{ syncTemplates: nothing, priced: nothing, reach: async () => 0, isOpen: async () => true, windowClosed: nothing },
    ...own,
  };
}
