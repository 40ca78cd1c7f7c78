import type { PersonalInvite, SentInvite } from '../groups.ts';
import { userJid } from '../jid.ts';
import type { Group } from './groups.ts';
import type { SandboxDeps } from './sandbox-deps.ts';

/** Invitations to groups, as messages to those who can only be invited. */
export class Invitations {
  readonly #deps: SandboxDeps;

  constructor(deps: SandboxDeps) {
    this.#deps = deps;
  }

  /** 404: there is no such invitation any more. */
  send(by: string, group: Group, subject: string, invites: readonly PersonalInvite[]): readonly SentInvite[] {
    const { phones, names, clock, soon } = this.#deps;
    const valid = invites.filter(({ phone, code }) => group.invited.get(code) === phone);
    for (const { phone, code } of valid) {
      const invite = { groupId: group.id, code };
      const message = { netId: names.message(), from: by, to: userJid(phone), quotes: null, at: clock.now(), invite };
      soon.run(() => phones.named(phone).show({ ...message, content: { type: 'text', body: subject } }));
    }
    return invites.map((one) => ({ phone: one.phone, code: valid.includes(one) ? null : 404 }));
  }
}
